# SPDX-License-Identifier: Apache-2.0
# Writes a sum of what is in FILES to SUM, and leaves that file alone where it holds the sum already.
set(text "")
foreach(file IN LISTS FILES)
  file(SHA256 "${file}" sum)
  string(APPEND text "${sum}\n")
endforeach()
file(CONFIGURE OUTPUT "${SUM}" CONTENT "${text}")
