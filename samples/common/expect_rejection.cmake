# SPDX-License-Identifier: Apache-2.0
# Runs COMMAND (a list) and fails unless it exits with 2 after exactly one line on standard error.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 2)
  message(FATAL_ERROR "exit status ${status} where 2 was expected\n${output}${errors}")
endif()
if(NOT errors MATCHES "^[^\n]+\n$")
  message(FATAL_ERROR "not one line on standard error:\n${errors}")
endif()
message(STATUS "${errors}")
