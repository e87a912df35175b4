// SPDX-License-Identifier: Apache-2.0
// Where DPC++ says which properties go with which classes: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
