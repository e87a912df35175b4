// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/processors.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace pianola::host {

processor_mask processor_mask::of(const processor_list& processors) {
  processor_mask m;
  for (const unsigned p : processors) {
    if (p / bits >= m.words_.size()) m.words_.resize(p / bits + 1, 0);
    m.words_[p / bits] |= 1UL << (p % bits);
  }
  return m;
}

processor_mask processor_mask::of_calling_thread() {
  processor_mask m;
  for (std::size_t n = 16; n <= 4096; n *= 2) {
    m.words_.assign(n, 0);
    if (sched_getaffinity(0, n * sizeof(unsigned long), m.set()) == 0) return m;
  }
  return {};
}

bool processor_mask::bind_calling_thread() const noexcept {
  return !words_.empty() && sched_setaffinity(0, words_.size() * sizeof(unsigned long), set()) == 0;
}

void processor_mask::give_to(pthread_attr_t& attributes) const noexcept {
  if (!words_.empty())
    pthread_attr_setaffinity_np(&attributes, words_.size() * sizeof(unsigned long), set());
}

processor_list processor_mask::list() const {
  processor_list found;
  for (std::size_t i = 0; i < words_.size() * bits; ++i)
    if ((words_[i / bits] >> (i % bits) & 1UL) != 0) found.push_back(static_cast<unsigned>(i));
  return found;
}

namespace {

// Of the thread that loads the library, mostly the main one before `main`.
const processor_list& processors_at_load() {
  static const processor_list found = processor_mask::of_calling_thread().list();
  return found;
}
[[maybe_unused]] const bool looked_at_load = (processors_at_load(), true);

// Libraries that answer OpenMP's questions. g++'s has bound the main thread when it was loaded, where it is to. The others
// do it when they are first used, and a question is a use: they are asked only if somebody has bound the thread.
struct openmp_library {
  const char* name;
  bool binds_when_loaded;
};
constexpr openmp_library openmp_libraries[] = {
    {"libgomp.so.1", true}, {"libomp.so.5", false}, {"libomp.so", false}, {"libiomp5.so", false}};

// The processors of all places, if the calling thread is bound to one of them; else none.
processor_list processors_of_places(void* library, const processor_list& mine) {
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_places"));
  const auto size = reinterpret_cast<int (*)(int)>(dlsym(library, "omp_get_place_num_procs"));
  const auto ids = reinterpret_cast<void (*)(int, int*)>(dlsym(library, "omp_get_place_proc_ids"));
  if (count == nullptr || size == nullptr || ids == nullptr) return {};
  processor_list all;
  bool bound_to_one = false;
  for (int place = 0; place < count(); ++place) {
    std::vector<int> numbers(static_cast<std::size_t>(std::max(0, size(place))));
    if (numbers.empty()) continue;
    ids(place, numbers.data());
    processor_list here(numbers.begin(), numbers.end());
    std::sort(here.begin(), here.end());
    bound_to_one = bound_to_one || here == mine;
    all.insert(all.end(), here.begin(), here.end());
  }
  if (!bound_to_one) return {};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

processor_list processors_of_process() {
  const processor_list mine = processor_mask::of_calling_thread().list();
  for (const openmp_library& l : openmp_libraries) {
    if (!l.binds_when_loaded && mine == processors_at_load()) continue;
    void* library = dlopen(l.name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    processor_list all = processors_of_places(library, mine);
    dlclose(library);
    if (!all.empty()) return all;
  }
  return mine;
}

namespace {

// 0: it is no number, "max" among others.
std::uint64_t whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, n);
  return error == std::errc() && at == end ? n : 0;
}

// That pay for so much time of each period; 0: for as much as there is.
unsigned whole_processors(std::string_view quota, std::string_view period) {
  const std::uint64_t a = whole_number(quota), b = whole_number(period);
  if (a == 0 || b == 0) return 0;
  constexpr std::uint64_t most = std::numeric_limits<unsigned>::max();
  return static_cast<unsigned>(std::min(most, a / b + (a % b != 0 ? 1 : 0)));
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

unsigned quota_of(const std::string& folder) {
  std::istringstream both(first_line(folder + "/cpu.max"));
  std::string quota, period;
  if (both >> quota >> period) return whole_processors(quota, period);
  return whole_processors(first_line(folder + "/cpu.cfs_quota_us"),
                          first_line(folder + "/cpu.cfs_period_us"));
}

}  // namespace

unsigned processors_by_quota(const std::string& process, const std::string& groups) {
  unsigned least = 0;
  std::ifstream memberships(process + "/cgroup");
  std::string line;
  while (std::getline(memberships, line)) {
    // number:controllers:path; without controllers in version 2.
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    std::string root = groups;
    if (controllers.find(",cpu,") != std::string::npos)
      root += "/cpu";
    else if (controllers != ",,")
      continue;
    std::string path = line.substr(second + 1);
    for (;;) {
      while (!path.empty() && path.back() == '/') path.pop_back();
      if (const unsigned n = quota_of(root + path); n != 0)
        least = least == 0 ? n : std::min(least, n);
      if (path.empty()) break;
      path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return least;
}

}  // namespace pianola::host
