// SPDX-License-Identifier: Apache-2.0
// What an object file keeps of a translation unit whose code for devices is made, or used, when a program is linked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// Puts into `module`, a translation unit before it is lowered for the host, bitcode of the waiting kernels, of the functions
/// that are defined and declared SYCL_EXTERNAL, and of what these reach: in the section .pianola.device, which linkers leave
/// out. What they keep, in .pianola.units, is 16 bytes: a hash of the bitcode, and whether kernels wait. Nothing happens where
/// there are neither such kernels nor such functions.
void emit_device_unit(llvm::Module& module, llvm::ArrayRef<kernel> waiting, const options& chosen);

/// An entry of .pianola.units.
struct device_unit_record {
  std::uint64_t unit = 0;
  std::uint64_t waits = 0;
};
static_assert(sizeof(device_unit_record) == 16);

/// Of the section's bytes.
std::vector<device_unit_record> read_unit_records(llvm::StringRef section);

struct device_unit {
  std::uint64_t hash = 0;
  std::string bitcode;
};

/// Of the bytes of a .pianola.device section, of one unit or of several that were put together. False if they are damaged
/// or of another version of pianolacc.
bool read_device_units(llvm::StringRef section, std::vector<device_unit>& units);

inline constexpr char device_unit_section[] = ".pianola.device";
inline constexpr char unit_record_section[] = ".pianola.units";

/// Of a module that was such bitcode: what its unit was compiled with.
options options_of_unit(const llvm::Module& unit);

/// Of such a module: its kernels, whose bodies have names that no other unit has.
std::vector<kernel> kernels_of_unit(const llvm::Module& unit);

}  // namespace pianola::compiler
