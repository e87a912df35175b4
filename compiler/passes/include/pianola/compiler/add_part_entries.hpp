// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// Resolves __pianola_part_first and __pianola_part_end in the bodies of an outlined module: they say that the launch is whole.
/// A kernel of which enough is known for it to be cut gets a second body, which runs a part of a launch: it takes what the grid
/// says from its pianola_part_launch on. So a launch that is whole costs nothing for those that are not. Such a kernel's `uses`
/// get the flag PIANOLA_KERNEL_PARTS. Returns all kernels, each second body behind its kernel.
///
/// `uses` are those of the kernels, in the same order.
std::vector<kernel> add_part_entries(llvm::ArrayRef<kernel> kernels,
                                     std::vector<kernel_uses>& uses);

}  // namespace pianola::compiler
