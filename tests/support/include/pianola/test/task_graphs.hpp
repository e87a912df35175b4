// SPDX-License-Identifier: Apache-2.0
// Graphs whose commands may run on any device: the tiled factorisations, butterflies, stencils and random layers that
// schedulers are measured with. Kernels say how much they compute; nothing of them is ever run.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <pianola/test/scenario.hpp>

namespace pianola::test {

// A host, and so many devices with memories of their own, `spread` times as fast the last as the first.
inline model::topology many_devices(std::size_t devices, double spread = 1, bool peers = true,
                                    double bandwidth = 12e9) {
  model::topology t;
  t.memories.push_back({"host", 0});
  for (std::size_t d = 0; d < devices; ++d) {
    const auto memory = model::memory_id(static_cast<std::uint16_t>(d + 1));
    t.memories.push_back({"memory " + std::to_string(d), 0});
    model::device_description device;
    device.name = "device " + std::to_string(d);
    device.backend = "test";
    device.memory = memory;
    const double faster =
        devices < 2 ? 1
                    : 1 + (spread - 1) * static_cast<double>(d) / static_cast<double>(devices - 1);
    device.speed = {5e-6, 500e9 * faster, 1e12 * faster, 0};
    t.devices.push_back(device);
  }
  for (std::uint16_t a = 0; a <= devices; ++a)
    for (std::uint16_t b = 0; b <= devices; ++b)
      if (a != b && (peers || a == 0 || b == 0))
        t.links.push_back({model::memory_id(a), model::memory_id(b), bandwidth, 8e-6});
  return t;
}

class task_graph {
 public:
  explicit task_graph(const model::topology& machine) {
    graph_.machine = machine;
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
      all_.emplace_back(static_cast<std::uint16_t>(d));
  }

  // A buffer of one page.
  model::buffer_id buffer(std::uint64_t bytes) {
    model::buffer_info info;
    info.grid = model::page_grid(model::extent3{{1, 1, bytes / 8}});
    info.element_size = 8;
    graph_.buffers.push_back(info);
    graph_.initialised.push_back(true);
    return model::buffer_id(static_cast<std::uint32_t>(graph_.buffers.size() - 1));
  }

  void command(double operations, const std::vector<model::buffer_id>& reads,
               const std::vector<model::buffer_id>& updates,
               const std::vector<model::buffer_id>& makes = {}) {
    std::vector<model::requirement> needs;
    const auto need = [&](const std::vector<model::buffer_id>& which, model::access_mode mode,
                          bool no_init) {
      for (const model::buffer_id b : which) {
        model::requirement r;
        r.buffer = b;
        r.mode = mode;
        r.no_init = no_init;
        r.elements = model::box::of(graph_.buffers[b.value()].grid.range());
        needs.push_back(r);
      }
    };
    need(reads, model::access_mode::read, false);
    need(updates, model::access_mode::read_write, false);
    need(makes, model::access_mode::write, true);
    model::kernel_command kernel;
    kernel.work.operations = operations;
    graph_.commands.add(all_.front(), std::move(needs), {}, kernel);
  }

  // Every command on any device.
  scenario finish() && {
    for (model::command& c : graph_.commands.all()) c.candidates = all();
    return std::move(graph_);
  }
  [[nodiscard]] std::size_t size() const { return graph_.commands.size(); }

 private:
  // As long as the program runs: scenarios are moved around.
  [[nodiscard]] model::array_view<const model::device_id> all() const {
    static std::deque<std::vector<model::device_id>> kept;
    for (const auto& k : kept)
      if (k.size() == all_.size()) return {k.data(), k.size()};
    kept.push_back(all_);
    return {kept.back().data(), kept.back().size()};
  }

  scenario graph_;
  std::vector<model::device_id> all_;
};

// n by n tiles of b by b numbers, one buffer each.
class tiles {
 public:
  tiles(task_graph& g, std::size_t n, std::uint64_t b) : n_(n) {
    for (std::size_t i = 0; i < n * n; ++i) buffers_.push_back(g.buffer(b * b * 8));
  }
  model::buffer_id operator()(std::size_t i, std::size_t j) const { return buffers_[i * n_ + j]; }

 private:
  std::size_t n_;
  std::vector<model::buffer_id> buffers_;
};

inline scenario cholesky_graph(const model::topology& machine, std::size_t n, std::uint64_t b) {
  task_graph g(machine);
  const tiles a(g, n, b);
  const double w = static_cast<double>(b) * static_cast<double>(b) * static_cast<double>(b);
  for (std::size_t k = 0; k < n; ++k) {
    g.command(w / 3, {}, {a(k, k)});
    for (std::size_t i = k + 1; i < n; ++i) g.command(w, {a(k, k)}, {a(i, k)});
    for (std::size_t i = k + 1; i < n; ++i) {
      g.command(w, {a(i, k)}, {a(i, i)});
      for (std::size_t j = k + 1; j < i; ++j) g.command(2 * w, {a(i, k), a(j, k)}, {a(i, j)});
    }
  }
  return std::move(g).finish();
}

inline scenario lu_graph(const model::topology& machine, std::size_t n, std::uint64_t b) {
  task_graph g(machine);
  const tiles a(g, n, b);
  const double w = static_cast<double>(b) * static_cast<double>(b) * static_cast<double>(b);
  for (std::size_t k = 0; k < n; ++k) {
    g.command(2 * w / 3, {}, {a(k, k)});
    for (std::size_t i = k + 1; i < n; ++i) {
      g.command(w, {a(k, k)}, {a(i, k)});
      g.command(w, {a(k, k)}, {a(k, i)});
    }
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < n; ++j) g.command(2 * w, {a(i, k), a(k, j)}, {a(i, j)});
  }
  return std::move(g).finish();
}

inline scenario qr_graph(const model::topology& machine, std::size_t n, std::uint64_t b) {
  task_graph g(machine);
  const tiles a(g, n, b), t(g, n, b);
  const double w = static_cast<double>(b) * static_cast<double>(b) * static_cast<double>(b);
  for (std::size_t k = 0; k < n; ++k) {
    g.command(4 * w / 3, {}, {a(k, k)}, {t(k, k)});
    for (std::size_t j = k + 1; j < n; ++j) g.command(2 * w, {a(k, k), t(k, k)}, {a(k, j)});
    for (std::size_t i = k + 1; i < n; ++i) {
      g.command(2 * w, {}, {a(k, k), a(i, k)}, {t(i, k)});
      for (std::size_t j = k + 1; j < n; ++j)
        g.command(4 * w, {a(i, k), t(i, k)}, {a(k, j), a(i, j)});
    }
  }
  return std::move(g).finish();
}

// 2^log blocks, each step pairs them at another distance.
inline scenario fft_graph(const model::topology& machine, unsigned log, std::uint64_t bytes,
                          unsigned repeats = 1) {
  task_graph g(machine);
  const std::size_t n = std::size_t{1} << log;
  std::vector<model::buffer_id> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(g.buffer(bytes));
  for (unsigned r = 0; r < repeats; ++r)
    for (unsigned s = 0; s < log; ++s)
      for (std::size_t i = 0; i < n; ++i)
        if ((i >> s & 1) == 0)
          g.command(static_cast<double>(bytes) * 20, {}, {x[i], x[i | std::size_t{1} << s]});
  return std::move(g).finish();
}

// A row of blocks, each updated from itself and its two neighbours, in two copies that take turns.
inline scenario stencil_graph(const model::topology& machine, std::size_t blocks, std::size_t steps,
                              std::uint64_t bytes) {
  task_graph g(machine);
  std::vector<model::buffer_id> x[2];
  for (auto& copy : x)
    for (std::size_t i = 0; i < blocks; ++i) copy.push_back(g.buffer(bytes));
  for (std::size_t s = 0; s < steps; ++s)
    for (std::size_t i = 0; i < blocks; ++i) {
      std::vector<model::buffer_id> reads{x[s % 2][i]};
      if (i > 0) reads.push_back(x[s % 2][i - 1]);
      if (i + 1 < blocks) reads.push_back(x[s % 2][i + 1]);
      g.command(static_cast<double>(bytes) * 30, reads, {}, {x[(s + 1) % 2][i]});
    }
  return std::move(g).finish();
}

// Layers of commands that each make a buffer from up to three of the layers before.
inline scenario layered_graph(const model::topology& machine, std::size_t commands,
                              std::uint64_t seed, double bytes_per_operation = 0.02) {
  task_graph g(machine);
  std::mt19937_64 random(seed);
  const std::size_t width = 2 + random() % std::max<std::size_t>(2, commands < 40 ? 4 : 40);
  std::vector<model::buffer_id> made, layer, before;
  const auto number = [&](double from, double to) {
    return from + (to - from) * static_cast<double>(random() % 10001) / 10000.0;
  };
  while (g.size() < commands) {
    before.swap(layer);
    layer.clear();
    const std::size_t in_layer = std::min(commands - g.size(), 1 + random() % width);
    for (std::size_t i = 0; i < in_layer; ++i) {
      const double operations = number(2e6, 1e8);
      std::vector<model::buffer_id> reads;
      for (std::size_t r = random() % 4; r > 0 && !made.empty(); --r) {
        const auto& from = before.empty() || random() % 5 == 0 ? made : before;
        reads.push_back(from[random() % from.size()]);
      }
      std::sort(reads.begin(), reads.end());
      reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
      const model::buffer_id out = g.buffer(
          8 + static_cast<std::uint64_t>(operations * bytes_per_operation * number(0, 2)) / 8 * 8);
      g.command(operations, reads, {}, {out});
      layer.push_back(out);
    }
    made.insert(made.end(), layer.begin(), layer.end());
  }
  return std::move(g).finish();
}

}  // namespace pianola::test
