// SPDX-License-Identifier: Apache-2.0
// program kernels_first|loops_first: SYCL kernels and OpenMP loops, in turns and at once. Prints what it saw of threads
// and processors; "OK" if the sums are right. Without OpenMP its loops are ordinary ones.
#include <dirent.h>
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

constexpr int size = 1 << 16;

std::string mask_of(const std::string& status_file) {
  std::ifstream status(status_file);
  const std::string key = "Cpus_allowed_list:\t";
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return line.substr(key.size());
  return "?";
}

void add_all(const std::string& list, std::set<int>& numbers) {
  for (const char* at = list.c_str(); *at != '\0';) {
    int first = 0, last = 0, length = 0;
    if (std::sscanf(at, "%d%n", &first, &length) != 1) return;
    at += length;
    last = first;
    if (*at == '-' && std::sscanf(at, "-%d%n", &last, &length) == 1) at += length;
    for (int i = first; i <= last; ++i) numbers.insert(i);
    if (*at == ',') ++at;
  }
}

// Where the threads of the process may run, all together.
std::string processors_of_threads() {
  std::set<int> numbers;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks))
    if (entry->d_name[0] != '.')
      add_all(mask_of(std::string("/proc/self/task/") + entry->d_name + "/status"), numbers);
  closedir(tasks);
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
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

}  // namespace

int main(int argc, char** argv) {
  const std::vector<int> ones(size, 1);
  bool right = true;
  if (argc > 1 && std::strcmp(argv[1], "loops_first") == 0) right = loop(ones) == size;
  const std::string before = mask_of("/proc/thread-self/status");
  try {
    sycl::queue q(sycl::cpu_selector_v, sycl::property::queue::in_order());
    kernels k(q);
    k.add_one();
    std::printf("main thread: %s, then %s\n", before.c_str(),
                mask_of("/proc/thread-self/status").c_str());
    std::printf("threads: %s\n", processors_of_threads().c_str());
    std::printf("units: %u\n", q.get_device().get_info<sycl::info::device::max_compute_units>());
    for (int i = 0; i < 100; ++i) {
      k.add_one();
      right = right && loop(ones) == size;
    }
    bool right_beside = true;
    std::thread beside([&] {
      for (int i = 0; i < 100; ++i) right_beside = right_beside && loop(ones) == size;
    });
    for (int i = 0; i < 100; ++i) k.add_one();
    beside.join();
    right = right && right_beside && k.sum() == 201L * size;
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::printf("libraries: %d\n", openmp_libraries());
  std::printf(right ? "OK\n" : "WRONG\n");
  return right ? 0 : 1;
}
