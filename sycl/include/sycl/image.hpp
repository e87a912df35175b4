// SPDX-License-Identifier: Apache-2.0
// Images and their accessors (SYCL 2020, 4.7.3 and 4.7.6.13).
#pragma once

#include <sycl/image/image_accessors.hpp>
#include <sycl/image/image_format.hpp>
#include <sycl/image/image_sampler.hpp>
#include <sycl/image/sampled_image.hpp>
#include <sycl/image/unsampled_image.hpp>
