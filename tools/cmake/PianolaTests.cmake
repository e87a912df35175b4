# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# Headers of the components whose code libpianola.so holds, for tests that look behind its interface.
set(PIANOLA_INTERNAL_HEADERS pianola_model_headers pianola_formats_headers pianola_recorder_headers pianola_planner_headers
    pianola_journal_headers pianola_executable_headers pianola_abi_headers pianola_backend_headers pianola_host_headers pianola_openmp_headers
    pianola_simulated_headers)

# What lets backends for graphics processors find the test doubles of their drivers, which abort the program at
# every rule that it breaks.
set(PIANOLA_TEST_DRIVER_ENVIRONMENT
    "PIANOLA_CUDA_DRIVER=${PIANOLA_TEST_DRIVER_FOLDER}/libcuda.so.1"
    "PIANOLA_HIP_RUNTIME=${PIANOLA_TEST_DRIVER_FOLDER}/libamdhip64.so.5"
    "PIANOLA_TEST_DRIVER_STRICT=1" "PIANOLA_TEST_DRIVER_DEVICES=2")

set(PIANOLA_LEFT_OUT_CASES "" CACHE STRING
    "Patterns of GoogleTest, parted by colons: tests to leave out where a whole program is one test (with sanitizers)")
option(PIANOLA_WHOLE_PROGRAMS
       "A GoogleTest program is one ctest test and not each of its tests, which takes a process for each"
       OFF)
# Random cases of each property, out of a hundred: with ThreadSanitizer each takes twenty times as long.
set(PIANOLA_THREAD_SANITIZER_CASES 30)

# Adds <target> as one ctest test, or as one per selection of devices; see pianola_gtest.
function(pianola_whole_program target label timeout once selections)
  set(environment)
  if("${selections}" MATCHES "cuda|hip")
    get_property(drivers GLOBAL PROPERTY PIANOLA_TEST_DRIVERS)
    add_dependencies(${target} ${drivers})
    set(environment ${PIANOLA_TEST_DRIVER_ENVIRONMENT})
  endif()
  if(PIANOLA_SANITIZE STREQUAL "thread")
    list(APPEND environment "RC_PARAMS=max_success=${PIANOLA_THREAD_SANITIZER_CASES}")
  endif()
  set(left_out "${PIANOLA_LEFT_OUT_CASES}")
  # As for each test alone, which is far above what it needs.
  math(EXPR timeout "2 * ${timeout}")
  # Those of most sources take longest, and begin first: at the end no processor waits for another.
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources cost)
  if(NOT selections)
    add_test(NAME ${target} COMMAND ${target} --gtest_brief=1 "--gtest_filter=*-${left_out}"
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties(${target} PROPERTIES LABELS ${label} TIMEOUT ${timeout} COST ${cost}
                         ENVIRONMENT "${environment}")
    return()
  endif()
  foreach(devices IN LISTS selections)
    add_test(NAME "${target}[${devices}]" COMMAND ${target} --gtest_brief=1 "--gtest_filter=*-${left_out}"
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_tests_properties("${target}[${devices}]" PROPERTIES LABELS ${label} TIMEOUT ${timeout} COST ${cost}
                         ENVIRONMENT "PIANOLA_DEVICES=${devices};${environment}")
    if(once)
      set(left_out "${PIANOLA_LEFT_OUT_CASES}:${once}")
    endif()
  endforeach()
endfunction()

# pianola_join_tests(<target> <source>...): as the sources of components, in smaller heaps. A file whose names clash with
# those of its neighbours on purpose says so on a line of its own: // compiled alone: REASON
function(pianola_join_tests target)
  list(LENGTH ARGN count)
  if(count LESS 4 OR PIANOLA_JOINED_SOURCES LESS 2)
    return()
  endif()
  pianola_join(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    # What a command of the build makes is not there yet: only sources of the repository are read.
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" generated)
    if(generated)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    file(STRINGS "${source}" alone REGEX "^// compiled alone: .")
    if(alone)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# pianola_share_header(<target> <standard> LIBRARIES <library>... OPTIONS <option>...): gives the target the precompiled header
# that all tests have which are compiled with these options, read once for all of them.
function(pianola_share_header target standard)
  cmake_parse_arguments(PARSE_ARGV 2 h "" "" "LIBRARIES;OPTIONS")
  set(headers <gmock/gmock.h> <gtest/gtest.h> <string> <vector>)
  set(libraries GTest::gmock GTest::gtest)
  if("pianola_sycl" IN_LIST h_LIBRARIES)
    list(APPEND headers <sycl/sycl.hpp>)
    list(APPEND libraries pianola_sycl)
  endif()
  if("rapidcheck" IN_LIST h_LIBRARIES)
    list(APPEND headers <rapidcheck.h> <rapidcheck/gtest.h>)
    list(APPEND libraries rapidcheck)
  endif()
  string(SHA1 key "${standard} ${h_OPTIONS} ${headers}")
  string(SUBSTRING "${key}" 0 8 key)
  set(header pianola_test_header_${key})
  if(NOT TARGET ${header})
    # An executable: what reuses its header must have the same flags, those for position independence among them.
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tests/${header}.cpp" CONTENT "int main() {}\n")
    add_executable(${header} "${PROJECT_BINARY_DIR}/tests/${header}.cpp")
    set_target_properties(${header} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests"
                          CXX_STANDARD ${standard})
    target_link_libraries(${header} PRIVATE ${libraries})
    target_compile_options(${header} PRIVATE ${h_OPTIONS} "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
    target_precompile_headers(${header} PRIVATE ${headers})
  endif()
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  target_precompile_headers(${target} REUSE_FROM ${header})
endfunction()

# pianola_gtest(<target> LABEL <label> SOURCES <file>... LIBRARIES <library>... [STANDARD <standard>] [OPTIONS <option>...]
#               [TIMEOUT <seconds>] [DEVICES <selection>... [ONCE <pattern>]])
#
# One GoogleTest program; each of its tests is a ctest test with <label>, but with sanitizers, or PIANOLA_WHOLE_PROGRAMS, the whole is one.
# OPTIONS are of the compiler. Those that other tests do not have are given here and not added later: tests with the same share a header.
# A test that takes longer than TIMEOUT hangs: it is far above what any test needs on a loaded machine. With DEVICES, each test runs once
# per selection, as PIANOLA_DEVICES; those that match ONCE only with the first. Selections with cuda or hip are
# of the test doubles of their drivers.
function(pianola_gtest target)
  cmake_parse_arguments(PARSE_ARGV 1 t "" "LABEL;TIMEOUT;ONCE;STANDARD" "SOURCES;LIBRARIES;DEVICES;OPTIONS")
  if(NOT t_TIMEOUT)
    set(t_TIMEOUT 600)
  endif()
  if(PIANOLA_SANITIZE)
    math(EXPR t_TIMEOUT "3 * ${t_TIMEOUT}")
  endif()
  add_executable(${target} ${t_SOURCES})
  if(PIANOLA_SANITIZE)
    target_link_libraries(${target} PRIVATE pianola_sanitizer_defaults)
  endif()
  target_link_libraries(${target} PRIVATE ${t_LIBRARIES} pianola_test_support GTest::gmock
                        GTest::gtest GTest::gtest_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(NOT t_STANDARD)
    set(t_STANDARD ${CMAKE_CXX_STANDARD})
  endif()
  # Most of the time goes into compiling, not into running. Optimised code of programs is what the conformance and
  # property tests, the samples and the benchmarks have.
  if(PIANOLA_SANITIZE OR "pianola_sycl" IN_LIST t_LIBRARIES)
    list(PREPEND t_OPTIONS -O0)
  else()
    list(PREPEND t_OPTIONS "$<$<CONFIG:Release>:-O1>")
  endif()
  target_compile_options(${target} PRIVATE ${t_OPTIONS})
  set_target_properties(${target} PROPERTIES CXX_STANDARD ${t_STANDARD})
  # Plugins are loaded while a test runs, so no link dependency stands for them.
  get_property(plugins GLOBAL PROPERTY PIANOLA_PLUGINS)
  if(plugins AND "pianola_runtime" IN_LIST t_LIBRARIES)
    add_dependencies(${target} ${plugins})
  endif()
  pianola_share_header(${target} ${t_STANDARD} LIBRARIES ${t_LIBRARIES} OPTIONS ${t_OPTIONS})
  pianola_join_tests(${target} ${t_SOURCES})

  # A process for each test costs several times what the test does, the more where it starts with a sanitizer or with the
  # double of a driver.
  if(PIANOLA_SANITIZE OR (PIANOLA_WHOLE_PROGRAMS AND t_LABEL MATCHES "^(unit|sycl|extensions|backend|property|tool)$"))
    pianola_whole_program(${target} "${t_LABEL}" ${t_TIMEOUT} "${t_ONCE}" "${t_DEVICES}")
    return()
  endif()

  set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 600
                WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                PROPERTIES LABELS ${t_LABEL} TIMEOUT ${t_TIMEOUT})
  if(NOT t_DEVICES)
    gtest_discover_tests(${target} TEST_PREFIX "${target}." ${discovery})
  endif()
  if("${t_DEVICES}" MATCHES "cuda|hip")
    # A property of several values does not pass through gtest_discover_tests.
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR
                          "${CMAKE_COMMAND};-E;env;${PIANOLA_TEST_DRIVER_ENVIRONMENT}")
    get_property(drivers GLOBAL PROPERTY PIANOLA_TEST_DRIVERS)
    add_dependencies(${target} ${drivers})
  endif()
  set(filter "*")
  foreach(devices IN LISTS t_DEVICES)
    string(MAKE_C_IDENTIFIER "${target}_${devices}" list)
    gtest_discover_tests(${target} TEST_PREFIX "${target}[${devices}]." TEST_LIST ${list}
                         TEST_FILTER "${filter}" ${discovery} ENVIRONMENT "PIANOLA_DEVICES=${devices}")
    if(t_ONCE)
      set(filter "*-${t_ONCE}")
    endif()
  endforeach()
endfunction()
