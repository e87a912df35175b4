// SPDX-License-Identifier: Apache-2.0
#include "gpu_rig.hpp"

#include <gtest/gtest.h>

namespace pianola::test {

namespace {

struct known_kernel {
  std::string symbol;
  std::vector<std::string> architectures;
  std::vector<std::string> bytes;
  std::vector<pianola_image> images;
  pianola_kernel kernel{};
  pianola_image_set set{};
};

std::map<std::uint64_t, std::unique_ptr<known_kernel>>& known_kernels() {
  static std::map<std::uint64_t, std::unique_ptr<known_kernel>> all;
  return all;
}

const step_tag& tag_of(const void* context) { return *static_cast<const step_tag*>(context); }

executors::step_observer make_observer() {
  executors::step_observer o;
  o.admit = [](const void* c) {
    expect_outside();
    const step_tag& t = tag_of(c);
    t.log->note(t.id, [](step_history& h) { ++h.admitted; });
    return !t.log->admit || t.log->admit(t.id);
  };
  o.failed = [](const void* c, std::exception_ptr error) {
    expect_outside();
    const step_tag& t = tag_of(c);
    std::string text = "unknown";
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {
    }
    t.log->note(t.id, [&](step_history& h) {
      ++h.failed;
      h.error = text;
    });
  };
  o.entering = [](const void* c) {
    const step_tag& t = tag_of(c);
    t.log->note(t.id, [](step_history& h) { ++h.entered; });
  };
  o.times = [](const void* c, std::uint64_t started, std::uint64_t ended) {
    expect_outside();
    const step_tag& t = tag_of(c);
    t.log->note(t.id, [&](step_history& h) {
      ++h.timed;
      h.started = started;
      h.ended = ended;
    });
  };
  o.attention = &attention();
  return o;
}

model::kernel_id id_of(const std::string& symbol) {
  return model::kernel_id(std::hash<std::string>()(symbol));
}

struct inside {
  inside() { inside_submission() = true; }
  ~inside() { inside_submission() = false; }
};

}  // namespace

const executors::runtime_services& test_services() {
  static const executors::step_observer observer = make_observer();
  static const executors::runtime_services services = [] {
    executors::runtime_services s;
    s.observer = &observer;
    s.find_kernel = [](model::kernel_id id) -> const pianola_kernel* {
      const auto it = known_kernels().find(id.value());
      return it == known_kernels().end() ? nullptr : &it->second->kernel;
    };
    s.find_images = [](model::kernel_id id) -> model::array_view<const pianola_image> {
      const auto it = known_kernels().find(id.value());
      if (it == known_kernels().end()) return {};
      return it->second->images;
    };
    return s;
  }();
  return services;
}

void register_kernel(model::kernel_id id, const char* symbol,
                     const std::vector<std::string>& architectures, std::uint32_t flags) {
  auto k = std::make_unique<known_kernel>();
  k->symbol = symbol;
  k->architectures = architectures;
  for (const auto& a : architectures) k->bytes.push_back("image of " + k->symbol + " for " + a);
  for (std::size_t i = 0; i < architectures.size(); ++i)
    k->images.push_back({k->architectures[i].c_str(), k->bytes[i].data(), k->bytes[i].size()});
  k->kernel.id = id.value();
  k->kernel.symbol = k->symbol.c_str();
  k->kernel.name = k->symbol.c_str();
  k->kernel.flags = flags;
  k->set.version = PIANOLA_IMAGE_SET_VERSION;
  k->set.image_count = static_cast<std::uint32_t>(k->images.size());
  k->set.images = k->images.data();
  k->set.kernel_count = 1;
  k->set.kernels = &k->kernel;
  known_kernels()[id.value()] = std::move(k);
}

const pianola_image_set& image_set_of(model::kernel_id id) {
  return known_kernels().at(id.value())->set;
}

gpu_rig::gpu_rig(const fake_setup& setup) {
  attention() = false;
  auto made = std::make_unique<fake_driver>(setup);
  driver = made.get();
  tally = made->tally;
  backend = gpu::make_gpu_backend(std::move(made), test_services(), {});
  std::vector<model::memory_id> memories;
  for (std::uint32_t i = 0; i < setup.devices; ++i)
    memories.push_back(model::memory_id(static_cast<std::uint16_t>(i + 1)));
  backend->set_memories(memories);
  fake_kernel k;
  k.functor_bytes = sizeof(std::function<void()>*);
  k.body = [](const void* functor, const pianola_launch& launch, const fake_item& item) {
    for (int d = 0; d < 3; ++d)
      if (item.id[d] >= launch.global[d]) return;
    (**static_cast<std::function<void()>* const*>(functor))();
  };
  add_kernel("call", std::move(k));
}

gpu_rig::~gpu_rig() {
  attention() = false;
  if (backend != nullptr) {
    driver->go();
    for (const auto& [p, device] : allocations_)
      backend->deallocate(device, executors::memory_kind::device, p);
    backend.reset();
  }
  if (!expect_clean) return;
  EXPECT_EQ(tally->live_objects(), 0);
  EXPECT_EQ(tally->violations, std::vector<std::string>());
}

void gpu_rig::add_kernel(const char* symbol, fake_kernel k,
                         const std::vector<std::string>& architectures) {
  driver->kernels[symbol] = std::move(k);
  register_kernel(id_of(symbol), symbol, architectures);
}

void gpu_rig::add_part(const std::string& symbol, fake_kernel k) {
  driver->kernels[symbol + PIANOLA_PART_SUFFIX] = std::move(k);
  register_kernel(id_of(symbol), symbol.c_str(), {"fake_1"}, PIANOLA_KERNEL_PARTS);
}

const model::kernel_descriptor& gpu_rig::descriptor(const std::string& symbol) {
  auto& d = descriptors_[symbol];
  if (d == nullptr) {
    d = std::make_unique<model::kernel_descriptor>();
    d->id = id_of(symbol);
    d->name = descriptors_.find(symbol)->first.c_str();
  }
  return *d;
}

executors::lane& gpu_rig::lane(std::uint32_t device) {
  executors::lane* l = nullptr;
  if (const auto s = backend->make_lane(device, l); !s.ok()) throw std::runtime_error(s.reason);
  return *l;
}

model::array_view<const std::byte> gpu_rig::tag(std::uint64_t id) {
  tags_.push_back({&log, id});
  return {reinterpret_cast<const std::byte*>(&tags_.back()), sizeof(step_tag)};
}

executors::status gpu_rig::try_submit(executors::lane& l, executors::resolved_action action,
                                      std::uint64_t id,
                                      const std::vector<executors::lane_position>& waits,
                                      bool timed) {
  executors::step_submission s;
  s.action = std::move(action);
  s.waits = waits;
  const step_tag t{&log, id};
  s.context = {reinterpret_cast<const std::byte*>(&t), sizeof t};
  s.timed = timed;
  const inside now;
  const auto status = backend->submit(l, s);
  if (status.ok()) ++positions_[&l];
  return status;
}

std::uint64_t gpu_rig::submit(executors::lane& l, executors::resolved_action action,
                              std::uint64_t id, const std::vector<executors::lane_position>& waits,
                              bool timed) {
  if (const auto s = try_submit(l, std::move(action), id, waits, timed); !s.ok())
    throw std::runtime_error(s.reason);
  return positions_[&l];
}

std::uint64_t gpu_rig::launch(executors::lane& l, executors::native_graph& g, std::uint64_t id,
                              const std::vector<executors::lane_position>& waits, bool timed) {
  executors::step_submission s;
  s.waits = waits;
  const step_tag t{&log, id};
  s.context = {reinterpret_cast<const std::byte*>(&t), sizeof t};
  s.timed = timed;
  const inside now;
  if (const auto status = backend->launch(l, g, s); !status.ok())
    throw std::runtime_error(status.reason);
  return ++positions_[&l];
}

executors::resolved_kernel gpu_rig::call(std::function<void()> f) {
  functions_.push_back(std::move(f));
  return kernel("call", &functions_.back(), {});
}

void* gpu_rig::allocate(std::size_t bytes, std::uint32_t device) {
  void* p = nullptr;
  const auto s = backend->allocate(device, executors::memory_kind::device, bytes, 0, p);
  if (!s.ok()) throw std::runtime_error(s.reason);
  allocations_.emplace_back(p, device);
  return p;
}

}  // namespace pianola::test
