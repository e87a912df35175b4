# SPDX-License-Identifier: Apache-2.0
# What both_modes.sh takes: its path and first arguments; after these the folder to work in; then the rest.
set(PIANOLA_BOTH_MODES "${CMAKE_CURRENT_LIST_DIR}/both_modes.sh" $<TARGET_FILE:pianolacc>
    "${PIANOLA_CLANG_EXECUTABLE}")
set(PIANOLA_BOTH_MODES_FOLDERS $<TARGET_FILE_DIR:pianola_runtime>)
foreach(root sycl executors/runtime recorder/model compiler/abi)
  list(APPEND PIANOLA_BOTH_MODES_FOLDERS "${PROJECT_SOURCE_DIR}/${root}/include")
endforeach()
