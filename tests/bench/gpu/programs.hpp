// SPDX-License-Identifier: Apache-2.0
// What is measured on a graphics processor, on both sides: `ours` goes through SYCL or, where only the executor is of
// interest, through its backend; `raw` is what one would write against CUDA's driver.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "../comparison.hpp"
#include "../kernels/kernels.hpp"
#include "shapes.hpp"

namespace bench::gpu {

enum class replay_time : unsigned char {
  whole,  // of replays in direct succession, to the end of the last
  host    // of the calls alone, each on an idle device
};

inline constexpr int loop_iterations = 100;

namespace ours {
// Of the first device that PIANOLA_DEVICES names. Throws where there is none.
[[nodiscard]] std::string device_name();
subject replay(shape, std::size_t nodes, replay_time);
// Every kernel but the first may start before the one in front of it has finished.
subject replay_overlapping(std::size_t nodes);
// A chain of kernels with a host task behind each, as one graph.
subject replay_with_host_tasks(std::size_t tasks);
subject submission();
subject submission_overlapping();
// A unit is loop_iterations of kernels in a row and one that counts down: in one graph; or a replay, and a look by the host, for
// each.
subject loop(std::size_t kernels);
subject loop_of_the_host(std::size_t kernels);
// A unit is a solution for n x n points, see conjugate_gradient.hpp: one launch, or one for each iteration.
subject conjugate_gradient(std::size_t n);
subject conjugate_gradient_by_the_host(std::size_t n);
subject stream_usm(stream_kernel, std::size_t n);
subject stream_buffers(stream_kernel, std::size_t n);

// A unit is one step of a stencil that goes from one buffer to the other; `run` returns bytes.
subject bytes_per_eager_step(std::size_t n);
subject bytes_per_replayed_step(std::size_t n);
// All bytes that the program moves: there, so many steps, and back.
subject bytes_of_program(std::size_t n, std::size_t steps);
// Nodes of the driver's graph of `steps` steps that are no kernels.
subject other_nodes(std::size_t n, std::size_t steps);

// A unit changes a buffer of so many bytes on the host, on the device, and looks at it. `registered`: the driver was
// told to lock the host's memory. `fresh`: each time it is another buffer.
subject host_round_trip(std::size_t bytes, bool registered, bool fresh);
}  // namespace ours

namespace backend {
subject instantiate(shape, std::size_t nodes);
// Other arguments for `changed` of a chain's nodes; a unit is one update and one launch, of which only the
// update is timed.
subject update(std::size_t nodes, std::size_t changed);
}  // namespace backend

namespace raw {
subject replay(shape, std::size_t nodes, replay_time);
// Kernel by kernel: launched, waited for, and the function called.
subject kernels_and_functions(std::size_t functions);
subject submission();
subject instantiate(shape, std::size_t nodes);
subject update(std::size_t nodes, std::size_t changed);
// Where the driver has conditional nodes.
[[nodiscard]] bool loops_in_graphs();
subject loop(std::size_t kernels);
// Bytes that the driver has really moved, where it is a test double and can tell.
subject counted_bytes(subject of);
[[nodiscard]] bool counts_bytes();

// Kernels that nvcc compiled. `file`: a cubin instead of the one that was built with this program.
[[nodiscard]] bool have_rivals(const std::string& file, std::string& why_not);
subject stream(stream_kernel, std::size_t n);
subject matmul(std::size_t n);
subject tree_reduction(std::size_t n);
subject stencil(std::size_t n);
// Where nvcc and the driver have conditional nodes: one launch for a solution.
[[nodiscard]] bool have_conjugate_gradient();
subject conjugate_gradient(std::size_t n);
}  // namespace raw

}  // namespace bench::gpu
