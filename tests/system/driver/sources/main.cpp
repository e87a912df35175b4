// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "scale.hpp"

int main() { std::printf("%d\n", times_five(times_three(2))); }
