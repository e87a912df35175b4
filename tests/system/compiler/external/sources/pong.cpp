// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

static int helper(int x) { return x + 2; }

int pong(int x) { return middle(helper(x)); }
