// SPDX-License-Identifier: Apache-2.0
// Everything of the runtime that the SYCL interface may call. Non-template functions only.
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
