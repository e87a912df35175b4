# SPDX-License-Identifier: Apache-2.0
# The Python module: AUTO builds it where the system's Python can be built for, ON insists.
set(PIANOLA_PYTHON_MODULE AUTO CACHE STRING "Build the Python module: AUTO, ON or OFF")
set_property(CACHE PIANOLA_PYTHON_MODULE PROPERTY STRINGS AUTO ON OFF)
if(NOT PIANOLA_PYTHON_MODULE)
  return()
endif()
# The system's, whose packages have what is needed, before any other one that is first on the PATH.
find_program(PIANOLA_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PIANOLA_SYSTEM_PYTHON AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE "${PIANOLA_SYSTEM_PYTHON}")
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET CONFIG)
if(Python_FOUND AND pybind11_FOUND)
  set(PIANOLA_HAS_PYTHON TRUE)
elseif(PIANOLA_PYTHON_MODULE STREQUAL "AUTO")
  message(STATUS "Pianola: no Python module: it needs python3-dev and pybind11-dev")
else()
  message(FATAL_ERROR "PIANOLA_PYTHON_MODULE is ON, and there is no python3-dev or no pybind11-dev; "
                      "run tools/install-packages.sh, or leave it at AUTO")
endif()
