// SPDX-License-Identifier: Apache-2.0
#include <pianola/gpu/plugin_factory.hpp>

#include "hip_driver.hpp"

extern "C" {
extern const pianola::executors::backend_factory pianola_backend_v1;
const pianola::executors::backend_factory pianola_backend_v1{
    pianola::executors::backend_interface_version,
    &pianola::gpu::create_backend<pianola::hip::hip_driver>};
}
