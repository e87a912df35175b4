// SPDX-License-Identifier: Apache-2.0
#define VALUE 11
#include "same_names.hpp"

int a() { return run_fill(); }
