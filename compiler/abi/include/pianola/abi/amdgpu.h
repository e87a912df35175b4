/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler and the backend must take from HIP alike. */
#ifndef PIANOLA_ABI_AMDGPU_H
#define PIANOLA_ABI_AMDGPU_H

/* HIP's limit for all arguments of a kernel. */
#define PIANOLA_AMDGPU_ARGUMENT_BYTES 4096
/* What the hidden ones of code object version 4 take of it. */
#define PIANOLA_AMDGPU_HIDDEN_BYTES 56

#endif
