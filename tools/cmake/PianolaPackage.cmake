# SPDX-License-Identifier: Apache-2.0
# Installation and the CMake package, for an install prefix and for the build tree.

# A folder of our own below include/: <sycl/sycl.hpp> must not hide another implementation's in a shared prefix.
set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}/Pianola")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Pianola")

foreach(root sycl executors/runtime recorder/model compiler/abi)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${root}/include/" DESTINATION "${include_dir}"
          COMPONENT pianola FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
endforeach()
target_include_directories(pianola_runtime INTERFACE "$<INSTALL_INTERFACE:${include_dir}>")
target_include_directories(pianola_sycl INTERFACE "$<INSTALL_INTERFACE:${include_dir}>")

install(TARGETS pianola_runtime pianola_sycl EXPORT PianolaTargets COMPONENT pianola
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_COMPONENT pianola)
install(EXPORT PianolaTargets NAMESPACE Pianola:: DESTINATION "${package_dir}" COMPONENT pianola)
export(EXPORT PianolaTargets NAMESPACE Pianola::
       FILE "${PROJECT_BINARY_DIR}/package/PianolaTargets.cmake")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT pianola)

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/PianolaConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
configure_file("${CMAKE_CURRENT_LIST_DIR}/AddSyclToTarget.cmake"
               "${PROJECT_BINARY_DIR}/package/AddSyclToTarget.cmake" COPYONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake"
              "${PROJECT_BINARY_DIR}/package/AddSyclToTarget.cmake"
        DESTINATION "${package_dir}" COMPONENT pianola)
