// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <pianola/compiler/kernel.hpp>
#include <vector>

namespace pianola::compiler {

/// Copies `kernels` of the unit `host` into a module of their own, the device module that every device
/// target starts from: the kernels' bodies and what they reach, nothing else.
///
/// In the result
///  - only the bodies have external linkage, and global variables that are not constants (a kernel may not
///    use them; no pass shall take their initial value for granted before check_device_code() has seen them);
///  - `__pianola_is_device()` is 1 and what was reached only where it is 0 is gone;
///  - there is no exception handling: invokes are calls. A throw is still a call of `__cxa_throw`;
///  - failed assertions, `abort` and `std::terminate` are `llvm.trap`;
///  - instrumentation is gone: of sanitizers (reports that end the program are `llvm.trap`), of profilers;
///  - atomic accesses and fences have the scopes that the source gives them, as LLVM's synchronisation scopes
///    "singlethread", "subgroup", "workgroup", "device" and the system's;
///  - functions carry no attribute that speaks of the host, and whatever may reach a barrier is convergent;
///  - virtual tables hold null pointers;
///  - debug locations are kept, and subprograms have linkage names, for check_device_code().
///
/// Triple and data layout stay the host's. `device_kernels` becomes `kernels` with the bodies of the result.
std::unique_ptr<llvm::Module> outline(const llvm::Module& host, llvm::ArrayRef<kernel> kernels,
                                      std::vector<kernel>& device_kernels);

/// What outline() begins with: a copy of `roots`, among them the kernels' bodies, and of what they reach, without exception
/// handling and attributes of the host, and with the linkage that it had.
std::unique_ptr<llvm::Module> copy_for_devices(const llvm::Module& host,
                                               llvm::ArrayRef<const llvm::GlobalValue*> roots,
                                               llvm::ArrayRef<kernel> kernels,
                                               std::vector<kernel>& device_kernels);

/// The optimisation that outline() ends with. It is run once for all targets: inlining and the removal of
/// what is provably not executed, nothing that depends on a target.
void simplify_device_module(llvm::Module& device);

/// What sanitizers and profilers put into code on its way from the front end; they watch the host's code only.
void drop_instrumentation(llvm::Module& device);

/// A part of simplify_device_module(), between inlining, which makes scopes constants, and the last clean-up: `__pianola_in_scope` and
/// `__pianola_fence` become scopes of the accesses and fences. A scope that is no constant is the system's.
void resolve_scopes(llvm::Module& device);

}  // namespace pianola::compiler
