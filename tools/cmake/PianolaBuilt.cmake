# SPDX-License-Identifier: Apache-2.0
# The library and the backends of PIANOLA_BUILT_IN, another build tree of these sources, in place of our own: for tests of
# what another compiler makes of programs.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
find_package(Pianola REQUIRED CONFIG PATHS "${PIANOLA_BUILT_IN}/package" NO_DEFAULT_PATH)
add_library(pianola_runtime ALIAS Pianola::runtime)
add_library(pianola_sycl ALIAS Pianola::sycl)
# The plugins beside that library are those that programs load: nothing is left to be built for them.
add_custom_target(pianola_built_plugins)
set_property(GLOBAL PROPERTY PIANOLA_PLUGINS pianola_built_plugins)
