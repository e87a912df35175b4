// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Gives a device module of outline() what clang calls for products and quotients of complex numbers, and for
/// std::abs, std::arg and std::exp of them: functions of the host's libraries in terms of what devices have.
/// Infinities and zeros are treated as Annex G of the C standard has it. Others of <complex.h> stay undefined.
void define_complex_arithmetic(llvm::Module& device);

}  // namespace pianola::compiler
