// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/openmp_environment.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

namespace pianola::host {

namespace {

using model::error_code;
using model::user_error;

constexpr int most = 1 << 20;

[[noreturn]] void refuse(const char* name, std::string_view value, const std::string& takes) {
  throw user_error(error_code::platform, fmt::format("{}='{}': {}", name, value, takes));
}

// A text that is read from its beginning; blanks and case do not matter.
class reader {
 public:
  explicit reader(std::string_view text) {
    for (const char c : text)
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        text_ += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    left_ = text_;
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }
  bool take(char c) noexcept {
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string_view word() noexcept {
    std::size_t n = 0;
    while (n < left_.size() &&
           (std::isalpha(static_cast<unsigned char>(left_[n])) != 0 || left_[n] == '_'))
      ++n;
    const std::string_view w = left_.substr(0, n);
    left_.remove_prefix(n);
    return w;
  }
  std::optional<int> number(int at_most = most) noexcept {
    int n = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), n);
    if (error != std::errc() || n > at_most || n < -at_most) return {};
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return n;
  }

 private:
  std::string text_;
  std::string_view left_;
};

unsigned read_count(const char* name, std::string_view value, bool list) {
  reader r(value);
  std::optional<int> first;
  do {
    const std::optional<int> n = r.number();
    if (!n || *n < 1)
      refuse(name, value,
             list ? "it takes a number of threads, 1 or more (or a list of such numbers, of which "
                    "the first counts)"
                  : "it takes a number of threads, 1 or more");
    if (!first) first = n;
  } while (list && r.take(','));
  if (!r.at_end()) refuse(name, value, "it takes a number of threads, 1 or more");
  return static_cast<unsigned>(*first);
}

std::size_t read_stack(const char* name, std::string_view value) {
  reader r(value);
  const std::optional<int> n = r.number(1 << 30);
  const std::string_view unit = r.word();
  const int shift = unit == "b"                   ? 0
                    : unit.empty() || unit == "k" ? 10
                    : unit == "m"                 ? 20
                    : unit == "g"                 ? 30
                                                  : -1;
  if (!n || *n < 1 || shift < 0 || !r.at_end())
    refuse(name, value, "it takes a size, such as 16M; a number alone counts KiB");
  return static_cast<std::size_t>(*n) << shift;
}

binding read_binding(const char* name, std::string_view value) {
  const char* takes =
      "it takes true, false, close, spread or primary (or a list of the last three, of which the "
      "first counts)";
  reader r(value);
  std::optional<binding> first;
  do {
    const std::string_view w = r.word();
    binding b{};
    if (w == "false")
      b = binding::none;
    else if (w == "true" || w == "close")
      b = binding::close;
    else if (w == "spread")
      b = binding::spread;
    else if (w == "primary" || w == "master")
      b = binding::primary;
    else
      refuse(name, value, takes);
    if (!first) first = b;
  } while (r.take(','));
  if (!r.at_end()) refuse(name, value, takes);
  return *first;
}

class places_reader {
 public:
  places_reader(std::string_view value, const processor_list& processors, places_of_kind of_kind)
      : value_(value), processors_(processors), of_kind_(of_kind), r_(value) {}

  std::vector<processor_list> read() {
    std::vector<processor_list> places;
    if (const std::string_view w = r_.word(); !w.empty()) {
      places = of_kind_(kind_of(w));
      if (places.empty())
        for (const unsigned p : processors_) places.push_back({p});
      if (r_.take('(')) {
        const std::optional<int> count = r_.number();
        if (!count || *count < 1 || !r_.take(')')) refuse_it();
        places.resize(std::min(places.size(), static_cast<std::size_t>(*count)));
      }
    } else {
      do {
        const bool without = r_.take('!');
        const std::vector<processor_list> some = interval();
        if (!without)
          places.insert(places.end(), some.begin(), some.end());
        else
          for (const processor_list& p : some)
            places.erase(std::remove(places.begin(), places.end(), p), places.end());
      } while (r_.take(','));
    }
    if (!r_.at_end()) refuse_it();
    for (processor_list& p : places)
      p.erase(std::remove_if(p.begin(), p.end(),
                             [&](unsigned n) {
                               return !std::binary_search(processors_.begin(), processors_.end(),
                                                          n);
                             }),
              p.end());
    places.erase(std::remove_if(places.begin(), places.end(),
                                [](const processor_list& p) { return p.empty(); }),
                 places.end());
    if (places.empty())
      refuse("OMP_PLACES", value_,
             "none of these places has a processor that this process may use");
    return places;
  }

 private:
  [[noreturn]] void refuse_it() const {
    refuse("OMP_PLACES", value_,
           "it takes threads, cores, ll_caches, sockets or numa_domains, perhaps with a number as "
           "in cores(4), "
           "or a list of places such as {0,1},{2,3} or {0:2}:2:2");
  }
  [[nodiscard]] place_kind kind_of(std::string_view w) const {
    if (w == "threads") return place_kind::threads;
    if (w == "cores") return place_kind::cores;
    if (w == "ll_caches") return place_kind::last_level_caches;
    if (w == "sockets") return place_kind::sockets;
    if (w == "numa_domains") return place_kind::numa_domains;
    refuse_it();
  }
  // Behind something, :length or :length:stride, if it is there.
  void read_repetition(int& length, int& stride) {
    if (!r_.take(':')) return;
    const std::optional<int> n = r_.number();
    if (!n || *n < 1) refuse_it();
    length = *n;
    if (!r_.take(':')) return;
    const std::optional<int> s = r_.number();
    if (!s) refuse_it();
    stride = *s;
  }
  processor_list place() {
    processor_list p;
    const auto add = [&](bool without) {
      const std::optional<int> first = r_.number();
      if (!first || *first < 0) refuse_it();
      int length = 1, stride = 1;
      read_repetition(length, stride);
      for (int i = 0; i < length; ++i) {
        const long long n = *first + static_cast<long long>(i) * stride;
        if (n < 0 || n > most) refuse_it();
        const auto number = static_cast<unsigned>(n);
        if (without)
          p.erase(std::remove(p.begin(), p.end(), number), p.end());
        else
          p.push_back(number);
      }
    };
    do add(r_.take('!'));
    while (r_.take(','));
    if (!r_.take('}')) refuse_it();
    std::sort(p.begin(), p.end());
    p.erase(std::unique(p.begin(), p.end()), p.end());
    return p;
  }
  std::vector<processor_list> interval() {
    processor_list first;
    if (r_.take('{')) {
      first = place();
    } else {
      const std::optional<int> n = r_.number();
      if (!n || *n < 0) refuse_it();
      first = {static_cast<unsigned>(*n)};
    }
    int length = 1, stride = 1;
    read_repetition(length, stride);
    std::vector<processor_list> all;
    for (int i = 0; i < length; ++i) {
      processor_list next;
      for (const unsigned p : first) {
        const long long n = p + static_cast<long long>(i) * stride;
        if (n < 0 || n > most) refuse_it();
        next.push_back(static_cast<unsigned>(n));
      }
      all.push_back(std::move(next));
    }
    return all;
  }

  const std::string_view value_;
  const processor_list& processors_;
  const places_of_kind of_kind_;
  reader r_;
};

// Objects of this machine's topology; none if hwloc does not know it.
std::vector<processor_list> places_of_this_machine(place_kind kind) {
  std::vector<processor_list> places;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return places;
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  // Binds the calling thread to each processor in turn, and tells nothing more of what is asked for here.
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology) != 0) {
    hwloc_obj_type_t type = HWLOC_OBJ_PU;
    const auto known = [&](hwloc_obj_type_t t) {
      return hwloc_get_nbobjs_by_type(topology, t) > 0;
    };
    switch (kind) {
      case place_kind::threads:
        break;
      case place_kind::cores:
        type = HWLOC_OBJ_CORE;
        break;
      case place_kind::last_level_caches:
        type = known(HWLOC_OBJ_L4CACHE)   ? HWLOC_OBJ_L4CACHE
               : known(HWLOC_OBJ_L3CACHE) ? HWLOC_OBJ_L3CACHE
                                          : HWLOC_OBJ_L2CACHE;
        break;
      case place_kind::sockets:
        type = HWLOC_OBJ_PACKAGE;
        break;
      case place_kind::numa_domains:
        type = HWLOC_OBJ_NUMANODE;
        break;
    }
    if (!known(type)) type = HWLOC_OBJ_PU;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) {
      processor_list p;
      for (int i = hwloc_bitmap_first(o->cpuset); i >= 0; i = hwloc_bitmap_next(o->cpuset, i))
        p.push_back(static_cast<unsigned>(i));
      places.push_back(std::move(p));
    }
  }
  hwloc_topology_destroy(topology);
  return places;
}

}  // namespace

team_request read_openmp_environment(const char* (*variable)(const char* name),
                                     const processor_list& processors, places_of_kind of_kind) {
  const auto value = [variable](const char* name) {
    const char* text = variable(name);
    return std::string_view(text != nullptr ? text : "");
  };
  team_request wanted;
  if (const auto v = value("OMP_NUM_THREADS"); !v.empty())
    wanted.threads = read_count("OMP_NUM_THREADS", v, true);
  if (const auto v = value("OMP_THREAD_LIMIT"); !v.empty())
    wanted.at_most = read_count("OMP_THREAD_LIMIT", v, false);
  if (const auto v = value("OMP_STACKSIZE"); !v.empty())
    wanted.stack_bytes = read_stack("OMP_STACKSIZE", v);
  const auto places = value("OMP_PLACES"), how = value("OMP_PROC_BIND");
  if (!how.empty())
    wanted.how = read_binding("OMP_PROC_BIND", how);
  else if (!places.empty())
    wanted.how = binding::close;
  if (!places.empty() || wanted.how != binding::none)
    wanted.places = places_reader(places.empty() ? "cores" : places, processors, of_kind).read();
  // They were read for their mistakes: who is not bound has no place.
  if (wanted.how == binding::none) wanted.places.clear();
  return wanted;
}

team_request read_openmp_environment(const processor_list& processors) {
  return read_openmp_environment([](const char* name) -> const char* { return std::getenv(name); },
                                 processors, places_of_this_machine);
}

std::vector<std::size_t> distribute(binding how, std::size_t threads, std::size_t places,
                                    std::size_t first) {
  std::vector<std::size_t> at(threads, first);
  if (how == binding::close || how == binding::spread)
    for (std::size_t i = 0; i < threads; ++i) {
      const bool beside = how == binding::close && threads <= places;
      at[i] = (first + (beside ? i : i * places / threads)) % places;
    }
  return at;
}

}  // namespace pianola::host
