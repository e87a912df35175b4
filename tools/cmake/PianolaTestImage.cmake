# SPDX-License-Identifier: Apache-2.0
# pianola_test_image(<name> <source>): a "pianola-sim" image made of handwritten kernels
# (pianola/test/simulated_image.hpp), as the file <build>/tests/images/<name>.pianola-sim. Call it in a folder
# of its own: device code is compiled without sanitizers.
function(pianola_test_image name source)
  set_property(DIRECTORY PROPERTY COMPILE_OPTIONS "")
  set_property(DIRECTORY PROPERTY LINK_OPTIONS "")
  add_library(pianola_test_image_${name} MODULE ${source})
  target_include_directories(pianola_test_image_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/doubles/include")
  target_link_libraries(pianola_test_image_${name} PRIVATE pianola_abi_headers)
  target_compile_features(pianola_test_image_${name} PRIVATE cxx_std_20)
  target_compile_options(pianola_test_image_${name} PRIVATE -O2 -fvisibility=hidden -fno-exceptions -fno-stack-protector)
  set_target_properties(pianola_test_image_${name} PROPERTIES
    PREFIX "" SUFFIX ".pianola-sim" OUTPUT_NAME "${name}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/images")
endfunction()
