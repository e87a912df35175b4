// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/graph_pages.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>

#include "execute/memory_pools.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;
using planner::storage_request;

std::uint64_t host_page_bytes() noexcept {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t host_memory_bytes() noexcept {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * host_page_bytes();
}

std::unique_ptr<graph_pages> graph_pages::open() {
  // Such a limit holds for the file of the pages too, and ends the program that exceeds it.
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur != RLIM_INFINITY) return nullptr;
  const int file = ::memfd_create("pianola graph memory", MFD_CLOEXEC);
  return file < 0 ? nullptr : std::unique_ptr<graph_pages>(new graph_pages(file));
}

namespace {

// What tells a file from others, whatever its descriptor stands for by now; 0: nothing.
std::pair<std::uint64_t, std::uint64_t> identity_of(int file) noexcept {
  struct stat s{};
  return ::fstat(file, &s) == 0 ? std::pair<std::uint64_t, std::uint64_t>{s.st_dev, s.st_ino}
                                : std::pair<std::uint64_t, std::uint64_t>{0, 0};
}

}  // namespace

graph_pages::graph_pages(int file)
    : file_(file),
      identity_(identity_of(file)),
      first_number_(memory_pools::instance().number_bytes(host_memory_bytes())) {}

graph_pages::~graph_pages() {
  for (const allocation& a : allocations_) ::munmap(a.pointer, a.bytes);
  if (identity_of(file_) == identity_) ::close(file_);
}

bool graph_pages::suits(std::uint64_t bytes) noexcept { return bytes > 16 * host_page_bytes(); }

void* graph_pages::add(std::uint64_t name, std::uint64_t bytes) {
  const std::uint64_t whole = model::saturating_round_up(bytes, host_page_bytes());
  const char* why = nullptr;
  void* pointer = MAP_FAILED;
  if (whole > host_memory_bytes())
    why = "the machine has less memory";
  else if (pointer = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                            -1, 0);
           pointer == MAP_FAILED)
    why = std::strerror(errno);
  if (why != nullptr)
    throw user_error(
        error_code::memory_allocation,
        fmt::format("async_malloc of {} bytes while a graph is recorded: {}", bytes, why));
  by_name_[name] = allocations_.size();
  allocations_.push_back({name, pointer, whole});
  offsets_.push_back(storage_request::anywhere);
  return pointer;
}

void graph_pages::settle(const lives& of, edges order) {
  std::vector<storage_request> requests;
  std::vector<std::size_t> which;  // index: request
  std::vector<std::uint64_t> fixed;
  bool any = false;
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    const auto found = of.find(allocations_[i].name);
    if (found == of.end() && offsets_[i] == storage_request::anywhere) continue;
    any = any || offsets_[i] == storage_request::anywhere;
    const life l = found == of.end() ? life{0, storage_request::never} : found->second;
    requests.push_back({allocations_[i].bytes, l.born, l.died});
    fixed.push_back(offsets_[i]);
    which.push_back(i);
  }
  if (!any) return;
  // Or the size of a file of the program would be changed, where it has closed the descriptor and opened it again.
  if (identity_of(file_) != identity_)
    throw user_error(error_code::memory_allocation,
                     "the program has closed a file that it has not opened: the graph's own "
                     "allocations (async_malloc) get their pages from it");
  const planner::storage_layout layout =
      planner::share_storage(requests, order, host_page_bytes(), fixed);
  grow(layout.bytes);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (fixed[r] != storage_request::anywhere) continue;
    map(allocations_[which[r]], layout.offsets[r]);
    offsets_[which[r]] = layout.offsets[r];
  }
}

void graph_pages::grow(std::uint64_t bytes) {
  if (bytes <= bytes_) return;
  if (bytes > host_memory_bytes())
    throw user_error(error_code::memory_allocation,
                     fmt::format("the graph's own allocations (async_malloc) need {} bytes at the "
                                 "same time, and the machine has {}; free them earlier, or order "
                                 "the commands",
                                 bytes, host_memory_bytes()));
  if (::ftruncate(file_, static_cast<::off_t>(bytes)) != 0)
    throw user_error(error_code::memory_allocation,
                     fmt::format("cannot allocate {} bytes of host memory for the graph's own "
                                 "allocations (async_malloc): {}",
                                 bytes, std::strerror(errno)));
  bytes_ = bytes;
}

void graph_pages::map(const allocation& a, std::uint64_t offset) const {
  if (::mmap(a.pointer, a.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
             static_cast<::off_t>(offset)) != MAP_FAILED)
    return;
  throw user_error(error_code::memory_allocation,
                   fmt::format("cannot map {} bytes of a graph's own allocation (async_malloc): "
                               "{}{}",
                               a.bytes, std::strerror(errno),
                               errno == ENOMEM ? "; vm.max_map_count may be too small" : ""));
}

}  // namespace pianola::runtime
