// SPDX-License-Identifier: Apache-2.0
#pragma once

/// 3 * x, computed by a kernel.
int times_three(int x);
/// 5 * x, computed by a kernel whose function object has the same name.
int times_five(int x);
