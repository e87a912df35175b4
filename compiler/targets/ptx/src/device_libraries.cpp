// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_code.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"
#include "toolkit.hpp"

namespace pianola::compiler::ptx {

bool link_device_libraries(llvm::Module& module, const options& options) {
  if (!needs_library(module, {"__nv_"})) return true;
  const toolkit tools = find_toolkit(options);
  if (tools.libdevice.empty()) {
    report_error(module.getContext(),
                 missing(tools, "libdevice.10.bc, the library of math functions,"));
    return false;
  }
  const std::string problem = link_library(module, tools.libdevice);
  if (!problem.empty()) {
    report_error(module.getContext(), problem + "; is it of another CUDA toolkit than 12 or 13?");
    return false;
  }
  keep_only_kernels_visible(module);
  return true;
}

}  // namespace pianola::compiler::ptx
