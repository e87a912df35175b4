// SPDX-License-Identifier: Apache-2.0
// What of the runtime most of the SYCL interface calls: non-template functions. The other headers of this folder are included
// where they are needed.
#pragma once
#include "buffers.hpp"
#include "cookie.hpp"
#include "devices.hpp"
#include "events.hpp"
#include "fibers.hpp"
#include "graphs.hpp"
#include "ids.hpp"
#include "images.hpp"
#include "queues.hpp"
#include "statistics.hpp"
#include "submission.hpp"
#include "usm.hpp"
