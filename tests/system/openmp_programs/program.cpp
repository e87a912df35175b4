// SPDX-License-Identifier: Apache-2.0
// program kernels_first|loops_first|loops_only: SYCL kernels and OpenMP loops, in turns and at once. Prints what it saw of
// threads and processors; "OK" if the sums are right. Without OpenMP its loops are ordinary ones. With loops_only Pianola
// does nothing, which shows what OpenMP does by itself.
#include <dirent.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

constexpr int size = 1 << 16;

// 0-2,5 as 0,1,2,5
std::string numbers(const std::string& list) {
  std::string all;
  for (const char* at = list.c_str(); *at != '\0';) {
    int first = 0, last = 0, length = 0;
    if (std::sscanf(at, "%d%n", &first, &length) != 1) return "?";
    at += length;
    last = first;
    if (*at == '-' && std::sscanf(at, "-%d%n", &last, &length) == 1) at += length;
    for (int i = first; i <= last; ++i) all += (all.empty() ? "" : ",") + std::to_string(i);
    if (*at == ',') ++at;
  }
  return all;
}

// The processors of a thread, which is named as in /proc.
std::string mask_of(const std::string& thread) {
  std::ifstream status("/proc/" + thread + "/status");
  const std::string key = "Cpus_allowed_list:\t";
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return numbers(line.substr(key.size()));
  return "?";
}

std::string my_mask() { return mask_of("thread-self"); }

using threads = std::set<std::string>;

threads all_threads() {
  threads found;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks))
    if (entry->d_name[0] != '.') found.insert(std::string("self/task/") + entry->d_name);
  closedir(tasks);
  return found;
}

// Of each thread its processors. The order says nothing.
std::string masks_of(const threads& some) {
  std::multiset<std::string> masks;
  for (const std::string& t : some) masks.insert(mask_of(t));
  std::string text;
  for (const std::string& m : masks) text += (text.empty() ? "" : " | ") + m;
  return text;
}

int openmp_libraries() {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);)
    for (const char* name : {"/libgomp.so", "/libomp.so", "/libiomp5.so"})
      if (line.find(name) != std::string::npos) files.insert(line.substr(line.find('/')));
  return static_cast<int>(files.size());
}

// What OpenMP says of its threads, and where they are by their numbers.
void print_openmp() {
#if defined(_OPENMP)
  std::map<int, std::string> masks;
  int region = 0;
#pragma omp parallel
#pragma omp critical
  {
    region = omp_get_num_threads();
    masks[omp_get_thread_num()] = my_mask();
  }
  std::printf("OpenMP: %d at most, %d in a region, of which %d came\n", omp_get_max_threads(),
              region, static_cast<int>(masks.size()));
  std::string text;
  for (const auto& [number, mask] : masks) text += (number == 0 ? "" : " | ") + mask;
  std::printf("OpenMP's threads: %s\n", text.c_str());
#endif
  std::printf("main thread at the end: %s\n", my_mask().c_str());
}

long loop(const std::vector<int>& data) {
  long sum = 0;
#if defined(_OPENMP)
#pragma omp parallel for reduction(+ : sum) schedule(static)
#endif
  for (int i = 0; i < size; ++i) sum += data[static_cast<std::size_t>(i)];
  return sum;
}

class kernels {
 public:
  explicit kernels(sycl::queue& q) : q_(q), data_(sycl::malloc_shared<int>(size, q)) {
    q_.fill(data_, 0, size).wait();
  }
  ~kernels() { sycl::free(data_, q_); }
  kernels(const kernels&) = delete;
  kernels& operator=(const kernels&) = delete;
  void add_one() {
    int* data = data_;
    q_.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] += 1; }).wait();
  }
  [[nodiscard]] long sum() const {
    long sum = 0;
    for (int i = 0; i < size; ++i) sum += data_[i];
    return sum;
  }

 private:
  sycl::queue& q_;
  int* data_;
};

bool kernels_and_loops(const std::vector<int>& ones) {
  const std::string before = my_mask();
  const threads others = all_threads();
  sycl::queue q(sycl::cpu_selector_v, sycl::property::queue::in_order());
  kernels k(q);
  k.add_one();
  // Nothing else has started a thread meanwhile.
  threads own;
  for (const std::string& t : all_threads())
    if (others.count(t) == 0) own.insert(t);
  std::printf("main thread: %s, then %s\n", before.c_str(), my_mask().c_str());
  std::printf("Pianola's threads: %s\n", masks_of(own).c_str());
  std::printf("units: %u\n", q.get_device().get_info<sycl::info::device::max_compute_units>());
  bool right = true, right_beside = true;
  for (int i = 0; i < 100; ++i) {
    k.add_one();
    right = right && loop(ones) == size;
  }
  std::thread beside([&] {
    for (int i = 0; i < 100; ++i) right_beside = right_beside && loop(ones) == size;
  });
  for (int i = 0; i < 100; ++i) k.add_one();
  beside.join();
  std::printf("Pianola's threads at the end: %s\n", masks_of(own).c_str());
  return right && right_beside && k.sum() == 201L * size;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string order = argc > 1 ? argv[1] : "";
  const std::vector<int> ones(size, 1);
  bool right = true;
  if (order != "kernels_first") right = loop(ones) == size;
  try {
    if (order != "loops_only") right = kernels_and_loops(ones) && right;
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  print_openmp();
  std::printf("libraries: %d\n", openmp_libraries());
  std::printf(right ? "OK\n" : "WRONG\n");
  return right ? 0 : 1;
}
