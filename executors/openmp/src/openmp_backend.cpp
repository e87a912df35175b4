// SPDX-License-Identifier: Apache-2.0
#include "pianola/openmp/openmp_backend.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/memory_steps.hpp>
#include <pianola/host/page_file.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "compute_units.hpp"

namespace pianola::openmp {

namespace {

using executors::status;
using model::error_code;

constexpr const char* memory_file = "/proc/meminfo";

// What the kernel believes that programs can still have, what it would give up for them included.
std::uint64_t available_bytes() {
  std::ifstream info(memory_file);
  std::string name, unit;
  std::uint64_t kilobytes = 0;
  while (info >> name >> kilobytes && std::getline(info, unit))
    if (name == "MemAvailable:") return kilobytes << 10;
  return 0;
}

class openmp_backend final : public host::host_backend {
 public:
  // `shown`: units of the devices that programs see in place of the one that has them all; empty: they see that one.
  openmp_backend(const model::device_properties& device, std::vector<compute_unit> units,
                 const std::vector<std::vector<std::uint32_t>>& shown,
                 const executors::step_observer& observer)
      : host_backend("openmp", all_devices(device, units, shown), observer),
        units_(std::move(units)) {
    whole_.units.resize(units_.size());
    std::iota(whole_.units.begin(), whole_.units.end(), 0U);
    for (const std::vector<std::uint32_t>& mine : shown)
      sub_devices_.push_back({mine, model::partition_property::none, model::affinity_domain::none});
  }

  [[nodiscard]] std::uint32_t hidden_devices() const noexcept override {
    return devices().size() > 1 ? 1 : 0;
  }

  void describe_links(model::array_view<const model::memory_id>,
                      std::vector<model::link_description>&) const override {
    // The device works in host memory.
  }
  status allocate(std::uint32_t, executors::memory_kind, std::size_t bytes, std::size_t alignment,
                  void*& out) noexcept override {
    const std::size_t a = std::max(alignment, executors::usual_alignment);
    const std::size_t n = std::max<std::size_t>(bytes, 1);
    // Not touched here: pages land near the thread that first writes them.
    out = n > SIZE_MAX - a ? nullptr : std::aligned_alloc(a, (n + a - 1) / a * a);
    if (out == nullptr)
      return {error_code::memory_allocation,
              fmt::format("cannot allocate {} bytes of host memory", bytes)};
    return {};
  }
  void deallocate(std::uint32_t, executors::memory_kind, void* pointer) noexcept override {
    std::free(pointer);
  }
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t,
                                                    executors::memory_kind) noexcept override {
    return host::page_file::open();
  }
  void copy(const executors::resolved_copy& c) override { host::copy_bytes(c); }
  void fill(const executors::resolved_fill& f) override { host::fill_bytes(f); }
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }

  status free_memory(std::uint32_t device, std::uint64_t& bytes) noexcept override {
    try {
      bytes = available_bytes();
    } catch (...) {
      return host::current_exception_status();
    }
    return bytes != 0 ? status{} : backend::free_memory(device, bytes);
  }

  status make_sub_devices(std::uint32_t device, const model::partition& how,
                          std::vector<executors::sub_device>& out) noexcept override {
    try {
      std::lock_guard<std::mutex> lock(mutex_);
      device_key key;
      key.parent = device;
      key.property = how.property;
      const std::vector<std::uint32_t> units = description_of(device).units;
      for (std::vector<std::uint32_t>& mine : split(units_, units, how, key.along)) {
        key.units = std::move(mine);
        auto known = indices_.find(key);
        if (known == indices_.end()) {
          sub_devices_.push_back({key.units, key.property, key.along});
          known = indices_.emplace(key, static_cast<std::uint32_t>(sub_devices_.size())).first;
        }
        out.push_back({known->second, describe(sub_devices_[known->second - 1])});
      }
      return {};
    } catch (...) {
      return host::current_exception_status();
    }
  }

 protected:
  // Parts of the same processors share threads, however they were made.
  host::team& team_of(std::uint32_t device) override {
    if (device == 0) return host::team::instance();
    std::lock_guard<std::mutex> lock(mutex_);
    const std::vector<std::uint32_t>& units = description_of(device).units;
    host::team*& t = teams_[units];
    if (t == nullptr) {
      std::vector<unsigned> processors;
      for (const std::uint32_t u : units)
        if (units_[u].processor >= 0)
          processors.push_back(static_cast<unsigned>(units_[u].processor));
      std::sort(processors.begin(), processors.end());
      processors.erase(std::unique(processors.begin(), processors.end()), processors.end());
      t = &host::team::start_for_sub_device(static_cast<unsigned>(units.size()),
                                            std::move(processors));
    }
    return *t;
  }

 private:
  // Some of the compute units; the device itself is all of them.
  struct device_description {
    std::vector<std::uint32_t> units;
    model::partition_property property = model::partition_property::none;
    model::affinity_domain along = model::affinity_domain::none;
  };
  struct device_key {
    std::uint32_t parent = 0;
    model::partition_property property = model::partition_property::none;
    model::affinity_domain along = model::affinity_domain::none;
    std::vector<std::uint32_t> units;
    friend auto operator<=>(const device_key&, const device_key&) = default;
  };

  [[nodiscard]] const device_description& description_of(std::uint32_t device) const {
    return device == 0 ? whole_ : sub_devices_.at(device - 1);
  }
  static model::device_properties describe(model::device_properties whole,
                                           const std::vector<compute_unit>& all,
                                           const std::vector<std::uint32_t>& units) {
    whole.compute_units = static_cast<std::uint32_t>(units.size());
    whole.max_sub_devices = most_sub_devices(units);
    whole.affinity_domains = domains_of(all, units);
    return whole;
  }
  static std::vector<model::device_properties> all_devices(
      const model::device_properties& whole, const std::vector<compute_unit>& units,
      const std::vector<std::vector<std::uint32_t>>& shown) {
    std::vector<model::device_properties> all{whole};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      all.push_back(describe(whole, units, shown[i]));
      all.back().name += fmt::format(" ({} of {})", i + 1, shown.size());
    }
    return all;
  }
  [[nodiscard]] model::device_properties describe(const device_description& d) const {
    model::device_properties p = describe(devices()[0], units_, d.units);
    p.partitioned = d.property;
    p.partitioned_along = d.along;
    return p;
  }

  const std::vector<compute_unit> units_;
  device_description whole_;
  std::mutex mutex_;
  std::vector<device_description> sub_devices_;  // index: of the device, less one
  std::map<device_key, std::uint32_t> indices_;
  std::map<std::vector<std::uint32_t>, host::team*> teams_;
};

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0) {
      const auto at = line.find(':');
      if (at != std::string::npos && at + 2 < line.size()) return line.substr(at + 2);
    }
  return "CPU";
}

// As the processor tells: family, model and stepping.
std::uint32_t processor_model() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) return a;
#endif
  return 0;
}

model::device_properties describe(const processor_description& processors) {
  model::device_properties p;
  p.name = processor_name();
  p.vendor = "Pianola";
  p.driver_version = "1";
  p.backend = "openmp";
  p.type = model::device_type::cpu;
  p.runs_host_code = true;
  p.memory = model::host_memory;
#if defined(__x86_64__)
  p.architecture = "x86_64";
#endif
  p.model = processor_model();
  p.model_known = p.model != 0;
  p.free_memory_known = ::access(memory_file, R_OK) == 0;
  p.compute_units = static_cast<std::uint32_t>(processors.units.size());
  p.max_work_group_size = 1024;
  for (auto& s : p.max_work_item_sizes) s = 1024;
  p.sub_group_sizes = {8, 16, 32, 64};
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  p.global_memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  p.max_allocation_bytes = p.global_memory_bytes;
  p.local_memory_bytes = model::host_local_memory_bytes;
  p.usm_system_allocations = true;
  p.host_debuggable = true;
  p.cache_bytes = processors.cache_bytes;
  if (processors.cache_line_bytes != 0) p.cache_line_bytes = processors.cache_line_bytes;
  std::vector<std::uint32_t> units(processors.units.size());
  std::iota(units.begin(), units.end(), 0U);
  p.max_sub_devices = most_sub_devices(units);
  p.affinity_domains = domains_of(processors.units, units);
  return p;
}

// What the entry of PIANOLA_DEVICES asks for: so many devices of as equal size as can be, or one for each NUMA node. False if
// that cannot be.
bool shown_devices(std::string_view options, const std::vector<compute_unit>& all,
                   std::vector<std::vector<std::uint32_t>>& shown) {
  std::vector<std::uint32_t> units(all.size());
  std::iota(units.begin(), units.end(), 0U);
  model::partition how;
  model::affinity_domain along;
  if (options == "numa") {
    const std::vector<model::affinity_domain> several = domains_of(all, units);
    if (std::find(several.begin(), several.end(), model::affinity_domain::numa) == several.end())
      return true;
    how.property = model::partition_property::by_affinity_domain;
    how.domain = model::affinity_domain::numa;
    shown = split(all, units, how, along);
    return true;
  }
  std::size_t count = 0;
  const auto [end, wrong] = std::from_chars(options.data(), options.data() + options.size(), count);
  if (wrong != std::errc{} || end != options.data() + options.size() || count == 0 ||
      count > units.size())
    return false;
  if (count == 1) return true;
  how.property = model::partition_property::by_counts;
  for (std::size_t i = 0; i < count; ++i)
    how.counts.push_back((i + 1) * units.size() / count - i * units.size() / count);
  shown = split(all, units, how, along);
  return true;
}

executors::backend* create(const char* options, const executors::runtime_services* services,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  try {
    processor_description processors = describe_processors(host::team::instance().size());
    std::vector<std::vector<std::uint32_t>> shown;
    if (*options != '\0' && !shown_devices(options, processors.units, shown)) {
      std::snprintf(reason, reason_bytes,
                    "openmp takes a number of devices, 1 to %zu here, or numa, got '%s'",
                    processors.units.size(), options);
      *user_fault = 1;
      return nullptr;
    }
    const model::device_properties properties = describe(processors);
    return new openmp_backend(properties, std::move(processors.units), shown, *services->observer);
  } catch (const model::user_error& e) {
    // A variable that is read here, or a limit of the system: it says which.
    std::snprintf(reason, reason_bytes, "%s", e.what());
    *user_fault = 2;
    return nullptr;
  } catch (...) {
    std::snprintf(reason, reason_bytes, "%s", host::current_exception_status().reason.c_str());
    *user_fault = 0;
    return nullptr;
  }
}

}  // namespace

executors::backend_factory factory() noexcept {
  return {executors::backend_interface_version, &create};
}

}  // namespace pianola::openmp
