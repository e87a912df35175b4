// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#define VALUE 22
#include "same_names.hpp"

int a();
int main() { std::printf("%d %d\n", a(), run_fill()); }
