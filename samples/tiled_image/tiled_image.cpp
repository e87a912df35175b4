// SPDX-License-Identifier: Apache-2.0
// Finds edges in an image, tile by tile, on every device of the process: blur, gradient, threshold. Shows that
// independent tiles overlap in time, and that no page moves but those that a stage needs and its device has not got.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "common/command_line.hpp"
#include "common/file.hpp"
#include "common/image.hpp"
#include "common/input_error.hpp"
#include "pipeline.hpp"
#include "tiles.hpp"

namespace {

constexpr const char* usage =
    "usage: tiled_image [--image FILE] [--enlarge K] [--tile T] [--threshold X] [--output DIR]\n"
    "  --image FILE    PGM or PNG                                (default: keyboard.png of the "
    "samples)\n"
    "  --enlarge K     repeats every pixel K times per side      (default: 4)\n"
    "  --tile T        pixels per side of a tile, and of a page  (default: 256)\n"
    "  --threshold X   steepness that makes an edge, 0 to 1      (default: 0.06)\n"
    "  --output DIR    where edges.png and edges.pgm are written (default: "
    "tiled-image-output)\n"
    "Tiles take turns on all devices; PIANOLA_DEVICES=openmp,simulated:3 makes four.\n";

struct options {
  std::string image;
  std::size_t enlarge;
  std::size_t tile;
  std::uint16_t threshold;
  std::string output;
};

options parse(samples::command_line& args) {
  options o;
  o.image = args.text("image", SAMPLE_DATA "/keyboard.png");
  o.enlarge = args.number("enlarge", 4, 1, 1000);
  o.tile = args.number("tile", 256, 4, 16384);
  o.threshold = static_cast<std::uint16_t>(args.real("threshold", 0.06, 0.0, 1.0) * 65535.0);
  o.output = args.text("output", "tiled-image-output");
  args.finish();
  return o;
}

samples::gray_image load(const options& o) {
  const samples::gray_image small = samples::read_image(o.image);
  samples::gray_image image{small.width * o.enlarge, small.height * o.enlarge, {}};
  samples::check_size(image.width, image.height, o.image);
  image.pixels.reserve(image.width * image.height);
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x)
      image.pixels.push_back(small.pixels[y / o.enlarge * small.width + x / o.enlarge]);
  return image;
}

/// A queue per device, and the number of the memory that each device uses; memory 0 is the host's.
struct machine {
  std::vector<sycl::queue> queues;
  std::vector<std::size_t> memory;
  std::vector<std::size_t> platform_of_memory{0};  // devices of one platform copy to each other

  machine() {
    const std::vector<sycl::platform> platforms = sycl::platform::get_platforms();
    for (const sycl::device& d : sycl::device::get_devices()) {
      queues.emplace_back(d, sycl::property_list{sycl::property::queue::enable_profiling()});
      if (d.has(sycl::aspect::usm_system_allocations)) {
        memory.push_back(0);
      } else {
        memory.push_back(platform_of_memory.size());
        const auto found = std::find(platforms.begin(), platforms.end(), d.get_platform());
        platform_of_memory.push_back(static_cast<std::size_t>(found - platforms.begin()) + 1);
      }
      std::printf("device %zu: %s, %s\n", memory.size() - 1,
                  d.get_info<sycl::info::device::name>().c_str(),
                  memory.back() == 0 ? "in host memory" : "with its own memory");
    }
  }
};

/// The largest number of events that ran at the same time.
std::size_t most_at_once(const std::vector<sycl::event>& events) {
  std::vector<std::pair<std::uint64_t, int>> changes;
  for (const sycl::event& e : events) {
    changes.emplace_back(e.get_profiling_info<sycl::info::event_profiling::command_start>(), 1);
    changes.emplace_back(e.get_profiling_info<sycl::info::event_profiling::command_end>(), -1);
  }
  // At equal times, ends come before starts.
  std::sort(changes.begin(), changes.end());
  int now = 0, most = 0;
  for (const auto& change : changes) most = std::max(most, now += change.second);
  return static_cast<std::size_t>(most);
}

/// Compares what a stage transferred with what it had to.
bool report(const char* stage, std::size_t needed) {
  const auto seen = sycl::ext::pianola::get_statistics();
  std::printf("%-10s %4llu pages in %4llu transfers, %9llu bytes; needed: %zu pages\n", stage,
              static_cast<unsigned long long>(seen.transferred_pages),
              static_cast<unsigned long long>(seen.transfers),
              static_cast<unsigned long long>(seen.transferred_bytes), needed);
  sycl::ext::pianola::reset_statistics();
  return seen.transferred_pages == needed;
}

/// The same pipeline as plain loops over the whole image.
samples::gray_image reference(const samples::gray_image& image, std::uint16_t least) {
  const auto height = static_cast<std::ptrdiff_t>(image.height),
             width = static_cast<std::ptrdiff_t>(image.width);
  const auto pixel = [&](const std::vector<std::uint16_t>& p, std::ptrdiff_t y, std::ptrdiff_t x) {
    y = std::clamp<std::ptrdiff_t>(y, 0, height - 1);
    x = std::clamp<std::ptrdiff_t>(x, 0, width - 1);
    return static_cast<std::int64_t>(p[static_cast<std::size_t>(y * width + x)]);
  };
  const std::int64_t binomial[] = {1, 4, 6, 4, 1};
  std::vector<std::uint16_t> blurred;
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      std::int64_t sum = 0;
      for (std::ptrdiff_t i = -2; i <= 2; ++i)
        for (std::ptrdiff_t j = -2; j <= 2; ++j)
          sum += binomial[i + 2] * binomial[j + 2] * pixel(image.pixels, y + i, x + j);
      blurred.push_back(static_cast<std::uint16_t>((sum + 128) / 256));
    }
  samples::gray_image edges{image.width, image.height, {}};
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      std::int64_t horizontal = 0, vertical = 0;
      for (std::ptrdiff_t k = -1; k <= 1; ++k) {
        const std::int64_t weight = k == 0 ? 2 : 1;
        horizontal += weight * (pixel(blurred, y + k, x + 1) - pixel(blurred, y + k, x - 1));
        vertical += weight * (pixel(blurred, y + 1, x + k) - pixel(blurred, y - 1, x + k));
      }
      const std::int64_t strength =
          std::min<std::int64_t>(std::abs(horizontal) + std::abs(vertical), 65535);
      edges.pixels.push_back(strength >= least ? 65535 : 0);
    }
  return edges;
}

bool run(int argc, char** argv) {
  samples::command_line args(argc, argv);
  if (args.wants_help()) {
    std::fputs(usage, stdout);
    return true;
  }
  const options o = parse(args);
  const samples::gray_image image = load(o);
  const tiled::tiling tiles{image.height, image.width, o.tile};
  samples::make_folder(o.output);
  machine m;
  std::printf("%zu x %zu in %zu tiles\n", image.width, image.height, tiles.count());

  tiled::pipeline p(image, tiles);
  tiled::copies original(tiles, m.platform_of_memory), blurred(tiles, m.platform_of_memory),
      gradient(tiles, m.platform_of_memory), edges(tiles, m.platform_of_memory);
  original.fill(0);
  std::vector<sycl::event> events;
  bool minimal = true;
  const auto stage = [&](const char* name, tiled::copies& from, std::size_t radius,
                         tiled::copies& to, auto submit) {
    std::size_t needed = 0;
    for (std::size_t t = 0; t < tiles.count(); ++t) {
      const std::size_t device = t % m.queues.size();
      events.push_back(submit(m.queues[device], t));
      needed += from.read(m.memory[device], t, radius);
      to.write(m.memory[device], t);
    }
    minimal = report(name, needed) && minimal;
  };
  sycl::ext::pianola::reset_statistics();
  stage("blur", original, tiled::blur_radius, blurred,
        [&](sycl::queue& q, std::size_t t) { return p.blur(q, t); });
  stage("gradient", blurred, tiled::gradient_radius, gradient,
        [&](sycl::queue& q, std::size_t t) { return p.gradient(q, t); });
  stage("threshold", gradient, tiled::threshold_radius, edges,
        [&](sycl::queue& q, std::size_t t) { return p.threshold(q, t, o.threshold); });
  for (sycl::queue& q : m.queues) q.wait_and_throw();

  const samples::gray_image result = p.read();
  std::size_t needed = 0;
  for (std::size_t t = 0; t < tiles.count(); ++t) needed += edges.read(0, t, 0);
  minimal = report("read back", needed) && minimal;
  std::printf("only the pages needed were transferred: %s\n", minimal ? "yes" : "NO");
  std::printf("at most %zu tiles ran at once\n", most_at_once(events));

  const bool right = result.pixels == reference(image, o.threshold).pixels;
  std::printf("the result is %s that of plain loops\n", right ? "the same as" : "DIFFERENT from");
  samples::write_png(o.output + "/edges.png", result);
  samples::write_pgm(o.output + "/edges.pgm", result);
  std::printf("wrote edges.png and edges.pgm to %s\n", o.output.c_str());
  return right && minimal;
}

}  // namespace

int main(int argc, char** argv) {
  return samples::run_sample("tiled_image", [&] { return run(argc, argv); });
}
