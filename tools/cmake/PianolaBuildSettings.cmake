# SPDX-License-Identifier: Apache-2.0
# Settings that hold for every target of this build, and for none outside of it.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# One lib folder in the build tree, laid out as installed: the runtime looks for its plugins in
# pianola/ beside its own file.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(PIANOLA_CCACHE ccache)
mark_as_advanced(PIANOLA_CCACHE)
if(PIANOLA_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache's manual asks for with precompiled headers. What a file includes is taken from the list that
  # the compiler writes of it anyway: without, each file that is new is preprocessed once more.
  set(ccache_settings CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_DEPEND=1)
  cmake_path(GET CMAKE_CXX_COMPILER FILENAME compiler_name)
  if(compiler_name STREQUAL "pianolacc")
    # What is compiled depends on the plugin, which is not the file that ccache looks at. Both are looked into: a build that
    # makes the same ones again gives them other times.
    cmake_path(GET CMAKE_CXX_COMPILER PARENT_PATH compiler_dir)
    file(GLOB plugin "${compiler_dir}/../lib*/pianola/libpianola-compiler.so"
                     "${compiler_dir}/../lib/*/pianola/libpianola-compiler.so")
    list(APPEND ccache_settings "CCACHE_EXTRAFILES=${plugin}" CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content)
  endif()
  # For what commands of this build compile with the pianolacc that it makes.
  set(PIANOLACC_LAUNCHER "${CMAKE_COMMAND}" -E env ${ccache_settings} "CCACHE_EXTRAFILES=$<TARGET_FILE:pianola_compiler>"
      CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content "${PIANOLA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;${ccache_settings};${PIANOLA_CCACHE}")
endif()

if(PIANOLA_WARNINGS)
  add_compile_options(-Wall -Wextra)
  # Closed sets are switched over without a default: who forgets one does not compile.
  add_compile_options(-Werror=switch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options(-Wno-restrict)  # false for every `text + std::string` (GCC bug 105651)
  endif()
endif()
if(PIANOLA_WERROR)
  add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What the optimiser guesses after inlining differs from flag to flag; it is shown and stops nothing.
    add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds
                        -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()
if(PIANOLA_SANITIZE)
  add_compile_options(-fsanitize=${PIANOLA_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PIANOLA_SANITIZE})
endif()
