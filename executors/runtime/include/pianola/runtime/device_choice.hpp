// SPDX-License-Identifier: Apache-2.0
// Where a queue of several devices has its kernels run.
#pragma once
#include <cstddef>
#include <vector>

#include <pianola/model/ids.hpp>

#include "submission.hpp"

namespace pianola::runtime {

// Those of the devices on which the kernel may run, in their order: the program has code of it for them, they can run such
// a launch, and what its arguments point to in memory of devices is in theirs. All that have the code if no device has
// all of that memory, all devices if none has the code: what submits the kernel says what is wrong with it.
[[nodiscard]] std::vector<model::device_id> able_devices(
    const submission& s, const std::vector<model::device_id>& devices);

// Of the devices that are able, by position, the one where the kernel is expected to end first: when what it needs has been
// brought from where it is by then, after `busy[i]` seconds of work that devices[i] was given before. Of those that are
// alike the first from position `first` on. `busy` is brought up to date; only differences count in it. Nothing is
// measured, so that the same submissions go to the same devices.
[[nodiscard]] std::size_t choose_device(const submission& s,
                                        const std::vector<model::device_id>& devices,
                                        std::vector<double>& busy, std::size_t first);

}  // namespace pianola::runtime
