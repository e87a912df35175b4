// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

// Of the same name in pong.cpp.
static int helper(int x) { return x + 1; }

int ping(int x) { return pong(helper(x)) * 2; }
int middle(int x) { return helper(x) * 10; }
