# SPDX-License-Identifier: Apache-2.0
# Lets a project say find_package(SYCL) and get Pianola, for projects that do not name an implementation. Put the folder
# of this file (lib/cmake/Pianola/modules of an installed Pianola) on CMAKE_MODULE_PATH, or copy it into the project;
# Pianola itself is looked for as find_package(Pianola) does, e.g. in CMAKE_PREFIX_PATH.
#
#   SYCL::SYCL                    what to link
#   add_sycl_to_target(TARGET <target> [SOURCES <file>...])
#   SYCL_FOUND, SYCL_VERSION      SYCL_VERSION is Pianola's
#   SYCL_LANGUAGE_VERSION         202012
#   SYCL_IMPLEMENTATION_ID        Pianola
#   SYCL_COMPILER                 the path of pianolacc, or empty
set(_sycl_arguments "")
if(SYCL_FIND_VERSION)
  list(APPEND _sycl_arguments ${SYCL_FIND_VERSION})
  if(SYCL_FIND_VERSION_EXACT)
    list(APPEND _sycl_arguments EXACT)
  endif()
endif()
# Below the package folder of an installed Pianola, that one comes first.
find_package(Pianola ${_sycl_arguments} QUIET CONFIG HINTS "${CMAKE_CURRENT_LIST_DIR}/..")
unset(_sycl_arguments)

set(SYCL_VERSION "${Pianola_VERSION}")
set(SYCL_LANGUAGE_VERSION 202012)
set(SYCL_IMPLEMENTATION_ID Pianola)
set(SYCL_COMPILER "${Pianola_COMPILER}")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SYCL REQUIRED_VARS Pianola_DIR Pianola_FOUND VERSION_VAR SYCL_VERSION
  REASON_FAILURE_MESSAGE "Pianola was not found: put its install prefix into CMAKE_PREFIX_PATH")

if(SYCL_FOUND AND NOT TARGET SYCL::SYCL)
  add_library(SYCL::SYCL INTERFACE IMPORTED)
  set_target_properties(SYCL::SYCL PROPERTIES INTERFACE_LINK_LIBRARIES Pianola::sycl)
endif()
