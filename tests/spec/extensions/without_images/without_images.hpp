// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sycl/sycl.hpp>

// Adds one to each. The program has code of this kernel for the processor alone, whatever it has of others.
void add_without_images(sycl::handler& h, sycl::buffer<int>& to);
