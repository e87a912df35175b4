// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

int twice(int x) { return 2 * x; }
