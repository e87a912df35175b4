// SPDX-License-Identifier: Apache-2.0
// Conditional nodes, and the kernel that gives them the numbers by which they decide.
#include "conditions.hpp"

#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"
#include "descriptions.hpp"

namespace pianola::cuda {

using gpu::code;
using gpu::handles;

namespace {

constexpr const char* setting_symbol = "pianola_set_condition";

}  // namespace

// As a condition_setting has it. The driver's own linker knows cudaGraphSetConditional, so no toolkit is needed. Memory is
// addressed generically: it may be the device's, the host's or managed.
const char* const setting_image = R"(
.version 6.0
.target sm_50
.address_size 64

.extern .func cudaGraphSetConditional
(
  .param .b64 taken_0,
  .param .b32 taken_1
);

.visible .entry pianola_set_condition(
  .param .u64 with_condition,
  .param .u64 with_number,
  .param .u64 with_begin,
  .param .u32 with_source,
  .param .u32 with_bytes,
  .param .u32 with_limit
)
{
  .reg .pred %p<6>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;

  ld.param.u64 %rd1, [with_condition];
  ld.param.u64 %rd2, [with_number];
  ld.param.u64 %rd3, [with_begin];
  ld.param.u32 %r1, [with_source];
  ld.param.u32 %r2, [with_bytes];
  ld.param.u32 %r3, [with_limit];
  cvt.u64.u32 %rd5, %r3;

  setp.eq.u32 %p1, %r1, 1;
  @%p1 bra from_beginning;
  setp.eq.u32 %p2, %r1, 2;
  @%p2 bra from_countdown;
  setp.eq.u32 %p3, %r2, 1;
  @%p3 bra of_1_byte;
  setp.eq.u32 %p4, %r2, 2;
  @%p4 bra of_2_bytes;
  setp.eq.u32 %p5, %r2, 4;
  @%p5 bra of_4_bytes;
  ld.u64 %rd4, [%rd2];
  bra.uni known;
of_1_byte:
  ld.u8 %rd4, [%rd2];
  bra.uni known;
of_2_bytes:
  ld.u16 %rd4, [%rd2];
  bra.uni known;
of_4_bytes:
  ld.u32 %rd4, [%rd2];
  bra.uni known;
from_beginning:
  mov.u64 %rd4, %rd3;
  st.u64 [%rd2], %rd4;
  bra.uni known;
from_countdown:
  ld.u64 %rd4, [%rd2];
  sub.u64 %rd4, %rd4, 1;
  st.u64 [%rd2], %rd4;
known:
  min.u64 %rd4, %rd4, %rd5;
  cvt.u32.u64 %r4, %rd4;
  {
    .param .b64 given_0;
    st.param.b64 [given_0+0], %rd1;
    .param .b32 given_1;
    st.param.b32 [given_1+0], %r4;
    call.uni cudaGraphSetConditional, (given_0, given_1);
  }
  ret;
}
)";

namespace {

constexpr conditional_type type_of(gpu::conditional kind) noexcept {
  switch (kind) {
    case gpu::conditional::loop:
      return conditional_while;
    case gpu::conditional::branch:
      return conditional_if;
    case gpu::conditional::choice:
      break;
  }
  return conditional_switch;
}

}  // namespace

bool cuda_driver::sets_conditions(std::uint32_t device) noexcept {
  if (!can_.loops) return false;
  device_state& state = *states_[device];
  if (state.sets_conditions.load(std::memory_order_acquire) != nullptr) return true;
  const beside_captures here(*this, device);
  if (here.code() != success) return false;
  const std::lock_guard<std::mutex> lock(conditions_mutex_);
  if (!state.looked_for_it) {
    state.looked_for_it = true;
    // Both live as long as the context.
    handle module = nullptr, function = nullptr;
    if (library_.call.cuModuleLoadDataEx(&module, setting_image, 0, nullptr, nullptr) == success &&
        library_.call.cuModuleGetFunction(&function, module, setting_symbol) == success)
      state.sets_conditions.store(function, std::memory_order_release);
  }
  return state.sets_conditions.load(std::memory_order_relaxed) != nullptr;
}

code cuda_driver::make_condition(gpu::graph g, std::uint32_t device, gpu::condition& out) noexcept {
  if (!can_.loops) return not_supported;
  unsigned long long made = 0;
  const code c = library_.call.cuGraphConditionalHandleCreate(&made, g.native, context_of(device),
                                                              0, condition_assigns_default);
  out.native = made;
  return c;
}

code cuda_driver::add_setting(gpu::graph g, model::array_view<const gpu::node> after,
                              const gpu::condition_setting& s, gpu::node& out) noexcept {
  if (!sets_conditions(s.device)) return not_supported;
  const in_context here(*this, s.device);
  if (here.code() != success) return here.code();
  std::uint64_t condition = s.what.native, number = address_of(s.number), begin = s.begin;
  auto source = static_cast<std::uint32_t>(s.from);
  std::uint32_t bytes = s.bytes, limit = s.limit;
  void* parameters[] = {&condition, &number, &begin, &source, &bytes, &limit};
  kernel_node_parameters d{};
  d.func = states_[s.device]->sets_conditions.load(std::memory_order_acquire);
  d.gridDimX = d.gridDimY = d.gridDimZ = 1;
  d.blockDimX = d.blockDimY = d.blockDimZ = 1;
  d.kernelParams = parameters;
  return library_.call.cuGraphAddKernelNode(&out.native, g.native, handles(after), after.size(),
                                            &d);
}

code cuda_driver::add_conditional(gpu::graph g, model::array_view<const gpu::node> after,
                                  std::uint32_t device, gpu::condition by, gpu::conditional kind,
                                  std::vector<gpu::graph>& bodies, gpu::node& out) noexcept {
  if (!can_.loops) return not_supported;
  const in_context here(*this, device);
  if (here.code() != success) return here.code();
  conditional_node_parameters p{};
  p.type = node_type_conditional;
  p.handle = by.native;
  p.kind = type_of(kind);
  p.size = static_cast<unsigned>(bodies.size());
  p.ctx = context_of(device);
  const code c = library_.call.cuGraphAddNode_v2(&out.native, g.native, handles(after), nullptr,
                                                 after.size(), &p);
  if (c != success) return c;
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].native = p.graphs[i];
  return success;
}

}  // namespace pianola::cuda
