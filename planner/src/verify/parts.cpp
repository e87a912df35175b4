// SPDX-License-Identifier: Apache-2.0
// Whether a graph in parts is the graph that it was made of: work-item by work-item, without what cut it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pianola/planner/split_graph.hpp"
#include "pianola/planner/verify.hpp"

namespace pianola::planner {

using model::box;

namespace {

// Of work-items and rounds of loops that are looked at, in all and for each access of a part at least. Where there are more,
// some of them are, those at all ends among them.
constexpr std::uint64_t visits_in_all = std::uint64_t{1} << 25;
constexpr std::uint64_t least_visits = 256;
constexpr std::uint64_t most_visits = std::uint64_t{1} << 21;

struct wrong_parts {
  std::string reason;
};

// Bytes of a buffer.
struct byte_run {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Mostly it goes on where the last one ended.
void append(std::vector<byte_run>& runs, const byte_run& r) {
  if (!runs.empty() && runs.back().end == r.begin)
    runs.back().end = r.end;
  else
    runs.push_back(r);
}

void sort_and_join(std::vector<byte_run>& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const byte_run& a, const byte_run& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const byte_run& r : runs)
    if (kept != 0 && r.begin <= runs[kept - 1].end)
      runs[kept - 1].end = std::max(runs[kept - 1].end, r.end);
    else
      runs[kept++] = r;
  runs.resize(kept);
}

// Of sorted and joined ones; the first byte that both have.
const byte_run* first_common(const std::vector<byte_run>& a, const std::vector<byte_run>& b,
                             byte_run& common) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common = {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (common.begin < common.end) return &common;
    ++(a[i].end < b[j].end ? i : j);
  }
  return nullptr;
}

// What a part touches through one requirement of the whole kernel.
struct touched_runs {
  std::vector<byte_run> read;
  std::vector<byte_run> written;
};

std::string in_braces(const model::point3& p) {
  return fmt::format("{{{}, {}, {}}}", p[0], p[1], p[2]);
}

// Numbers of [lo, hi), at most `most` of them: all, or the first and the last ones and some between.
std::vector<std::uint64_t> some_of(std::uint64_t lo, std::uint64_t hi, std::uint64_t most) {
  std::vector<std::uint64_t> numbers;
  const std::uint64_t count = hi - lo;
  most = std::max<std::uint64_t>(most, 4);
  if (count <= most) {
    for (std::uint64_t i = lo; i < hi; ++i) numbers.push_back(i);
    return numbers;
  }
  numbers = {lo, lo + 1, hi - 2, hi - 1};
  for (std::uint64_t k = 1; k + 3 < most; ++k)
    numbers.push_back(lo + 1 + k * (count - 3) / (most - 3));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

class parts_checker {
 public:
  parts_checker(model::array_view<const model::command> whole,
                model::array_view<const model::buffer_info> buffers, const split_graph& parts)
      : whole_(whole), buffers_(buffers), parts_(parts) {}

  void check() {
    check_buffers();
    find_parts();
    share_visits();
    for (index_ = 0; index_ < whole_.size(); ++index_) {
      check_order();
      if (is_cut())
        check_parts();
      else
        check_same();
    }
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    const char* const label = index_ < whole_.size() ? whole_[index_].label : "";
    throw wrong_parts{fmt::format("command {}{}: {}", index_,
                                  *label != 0 ? fmt::format(" '{}'", label) : "", what)};
  }
  [[noreturn]] void complain(std::size_t part, const std::string& what) const {
    complain(fmt::format("part {} {}", part, what));
  }

  void check_buffers() const {
    if (parts_.buffers.size() != buffers_.size())
      throw wrong_parts{"the graph in parts has other buffers"};
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      if (!(parts_.buffers[b].grid.range() == buffers_[b].grid.range()) ||
          parts_.buffers[b].element_size != buffers_[b].element_size)
        throw wrong_parts{fmt::format("the graph in parts has another buffer {}", b)};
  }

  void find_parts() {
    if (parts_.part_of.size() != parts_.commands.size())
      throw wrong_parts{"some commands are parts of nothing"};
    for (std::size_t i = 0; i < parts_.part_of.size(); ++i) {
      const std::uint32_t of = parts_.part_of[i];
      if (of != first_.size() && (first_.empty() || of != first_.size() - 1))
        throw wrong_parts{"the parts are not in the order of the commands"};
      if (of == first_.size()) first_.push_back(i);
    }
    if (first_.size() != whole_.size()) throw wrong_parts{"some commands have no part"};
    first_.push_back(parts_.commands.size());
  }

  void share_visits() {
    std::uint64_t accesses = 1;
    for (const model::command& c : parts_.commands)
      if (const auto* const k = kernel_of(c); k != nullptr && k->geometry.part != nullptr)
        for (const model::footprint& f : k->footprints) accesses += f.accesses.size();
    most_visits_ = std::clamp(visits_in_all / accesses, least_visits, most_visits);
  }

  [[nodiscard]] std::size_t count() const { return first_[index_ + 1] - first_[index_]; }
  [[nodiscard]] const model::command& part(std::size_t p) const {
    return parts_.commands[first_[index_] + p];
  }
  static const model::kernel_command* kernel_of(const model::command& c) {
    return std::get_if<model::kernel_command>(&c.payload);
  }
  [[nodiscard]] bool is_cut() const {
    const auto* const k = kernel_of(part(0));
    return count() != 1 ||
           (k != nullptr && k->geometry.part != kernel_of(whole_[index_])->geometry.part);
  }

  // Each part comes after all parts of what the whole one comes after.
  void check_order() const {
    std::vector<std::uint64_t> wanted;
    for (const std::uint64_t a : whole_[index_].after)
      for (std::size_t p = first_[a]; p < first_[a + 1]; ++p) wanted.push_back(p);
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t p = 0; p < count(); ++p) {
      std::vector<std::uint64_t> after(part(p).after.begin(), part(p).after.end());
      std::sort(after.begin(), after.end());
      if (after != wanted) complain(p, "does not come after what the command comes after");
    }
  }

  void check_same() const {
    const model::command &a = whole_[index_], &b = part(0);
    if (a.payload.index() != b.payload.index() || a.device != b.device)
      complain("is another one in the graph in parts");
    if (a.requirements.size() != b.requirements.size())
      complain("needs something else in the graph in parts");
    for (std::size_t i = 0; i < a.requirements.size(); ++i) {
      const model::requirement &x = a.requirements[i], &y = b.requirements[i];
      if (x.buffer != y.buffer || x.mode != y.mode || x.no_init != y.no_init ||
          x.memory != y.memory || !(x.elements == y.elements))
        complain("needs something else in the graph in parts");
    }
  }

  void check_parts() {
    const auto* const k = kernel_of(whole_[index_]);
    if (k == nullptr) complain("is cut, and no kernel");
    check_units(*k);
    std::vector<std::vector<touched_runs>> touched(count());
    for (std::size_t p = 0; p < count(); ++p) {
      exact_ = true;
      for (std::uint32_t i = 0; i < whole_[index_].requirements.size(); ++i)
        touched[p].push_back(runs_of(*k, p, i));
      check_needs(*k, p, touched[p]);
    }
    check_apart(touched);
  }

  void check_units(const model::kernel_command& k) const {
    const box all = k.geometry.launched();
    std::uint64_t units = 0;
    for (std::size_t p = 0; p < count(); ++p) {
      const auto* const own = kernel_of(part(p));
      if (own == nullptr || own->kernel != k.kernel || own->id != k.id ||
          !(own->geometry.global == k.geometry.global) ||
          !(own->geometry.local == k.geometry.local) || own->geometry.part == nullptr)
        complain(p, "is of another kernel");
      const box& mine = *own->geometry.part;
      if (mine.empty() || !contains(all, mine)) complain(p, "runs what the kernel does not");
      for (std::size_t q = 0; q < p; ++q)
        if (overlap(mine, *kernel_of(part(q))->geometry.part))
          complain(p, fmt::format("runs work-items that part {} runs, too", q));
      units += mine.count();
    }
    if (units != all.count()) complain("no part runs some of its work-items");
  }

  static const model::footprint* footprint_of(const model::kernel_command& k,
                                              std::uint32_t requirement) {
    for (const model::footprint& f : k.footprints)
      if (f.requirement == requirement) return &f;
    return nullptr;
  }

  touched_runs runs_of(const model::kernel_command& k, std::size_t p, std::uint32_t requirement) {
    touched_runs runs;
    const model::footprint* const f = footprint_of(k, requirement);
    if (f == nullptr) return runs;
    const box ids = k.geometry.ids_of(*kernel_of(part(p))->geometry.part);
    for (const model::affine_access& a : f->accesses) {
      const auto add = [&](std::int64_t begin) {
        const byte_run r{static_cast<std::uint64_t>(begin),
                         static_cast<std::uint64_t>(begin) + a.length};
        if (a.read) append(runs.read, r);
        if (a.written) append(runs.written, r);
      };
      visit(*f, a, intersection(ids, a.ids), add);
    }
    sort_and_join(runs.read);
    sort_and_join(runs.written);
    return runs;
  }

  // Calls add(first byte) for each work-item and each round.
  template <class Add>
  void visit(const model::footprint& f, const model::affine_access& a, const box& ids,
             const Add& add) {
    if (ids.empty() || a.length == 0) return;
    constexpr std::size_t loops = model::affine_access::max_loops;
    std::array<std::uint64_t, 3 + loops> sizes{};
    for (std::size_t d = 0; d < 3; ++d) sizes[d] = ids.hi[d] - ids.lo[d];
    for (std::size_t l = 0; l < loops; ++l) sizes[3 + l] = a.loops[l].count;
    double all = 1;
    for (const std::uint64_t s : sizes) all *= static_cast<double>(s);
    if (all == 0) return;
    std::uint64_t most = ~std::uint64_t{0};
    if (all > static_cast<double>(most_visits_)) {
      exact_ = false;
      // The same bound for each: short ones stay whole.
      most = 4;
      const auto visits = [&](std::uint64_t bound) {
        double n = 1;
        for (const std::uint64_t s : sizes) n *= static_cast<double>(std::min(s, bound));
        return n;
      };
      while (visits(most * 2) <= static_cast<double>(most_visits_)) most *= 2;
    }
    std::array<std::vector<std::uint64_t>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) at[d] = some_of(ids.lo[d], ids.hi[d], most);
    std::array<std::vector<std::uint64_t>, loops> rounds;
    for (std::size_t l = 0; l < loops; ++l) rounds[l] = some_of(0, a.loops[l].count, most);
    const auto in_place = [&](std::uint64_t id, std::size_t d, std::int64_t& offset) {
      const std::uint64_t local = id % f.group[d];
      if (local < a.locals.lo[d] || local >= a.locals.hi[d]) return false;
      offset += a.stride[d] * static_cast<std::int64_t>(id) +
                a.group_stride[d] * static_cast<std::int64_t>(id / f.group[d]);
      return true;
    };
    for (const std::uint64_t z : at[0]) {
      std::int64_t of_z = a.start;
      if (!in_place(z, 0, of_z)) continue;
      for (const std::uint64_t y : at[1]) {
        std::int64_t of_y = of_z;
        if (!in_place(y, 1, of_y)) continue;
        for (const std::uint64_t x : at[2]) {
          std::int64_t of_x = of_y;
          if (!in_place(x, 2, of_x)) continue;
          for (const std::uint64_t i : rounds[0])
            for (const std::uint64_t j : rounds[1])
              for (const std::uint64_t l : rounds[2])
                add(of_x + a.loops[0].stride * static_cast<std::int64_t>(i) +
                    a.loops[1].stride * static_cast<std::int64_t>(j) +
                    a.loops[2].stride * static_cast<std::int64_t>(l));
        }
      }
    }
  }

  [[nodiscard]] model::point3 element_at(const model::buffer_info& buffer,
                                         std::uint64_t index) const {
    const model::extent3 range = buffer.grid.range();
    return {{index / range[2] / range[1], index / range[2] % range[1], index % range[2]}};
  }

  // Whether all that the run touches is in boxes that `fits`; else where not.
  template <class Fits>
  bool is_covered(std::size_t p, model::buffer_id b, const byte_run& r, const Fits& fits,
                  model::point3& gap) const {
    const model::buffer_info& info = buffers_[b.value()];
    gap = {};
    if (info.bytes() == 0) return false;  // no element has a place
    const std::uint64_t end = (r.end + info.element_size - 1) / info.element_size;
    for (std::uint64_t i = r.begin / info.element_size; i < end;) {
      gap = element_at(info, i);
      std::uint64_t next = i;
      for (const model::requirement& needed : part(p).requirements) {
        if (needed.buffer != b || !fits(needed)) continue;
        const box& e = needed.elements;
        bool inside = true;
        for (std::size_t d = 0; d < 3; ++d)
          inside = inside && gap[d] >= e.lo[d] && gap[d] < e.hi[d];
        if (inside) next = std::max(next, i + (e.hi[2] - gap[2]));
      }
      if (next == i) return false;
      i = next;
    }
    return true;
  }

  void check_needs(const model::kernel_command& k, std::size_t p,
                   const std::vector<touched_runs>& touched) const {
    const model::array_view<const model::requirement> whole = whole_[index_].requirements;
    const std::vector<model::requirement> own(part(p).requirements.begin(),
                                              part(p).requirements.end());
    if (own.size() < whole.size()) complain(p, "needs less than the kernel names");
    for (std::uint32_t i = 0; i < whole.size(); ++i) {
      const model::requirement& r = whole[i];
      if (own[i].buffer != r.buffer) complain(p, "needs another buffer");
      if (footprint_of(k, i) == nullptr) {
        if (writes(r.mode) && !r.elements.empty())
          complain("is cut, and nothing is known of what it writes");
        if (!contains(own[i].elements, r.elements))
          complain(p, "does not need all that it may read");
        continue;
      }
      const std::string of = fmt::format(" of buffer {}", r.buffer.value());
      model::point3 gap;
      for (const byte_run& read : touched[i].read)
        if (!is_covered(
                p, r.buffer, read,
                [&](const model::requirement& n) { return r.no_init || !n.no_init; }, gap))
          complain(p,
                   fmt::format("reads element {}{}, which it does not need", in_braces(gap), of));
      for (const byte_run& written : touched[i].written)
        if (!is_covered(
                p, r.buffer, written, [](const model::requirement& n) { return writes(n.mode); },
                gap))
          complain(p,
                   fmt::format("writes element {}{}, which it does not need", in_braces(gap), of));
    }
    if (exact_) check_fresh(k, p, touched);
  }

  // Old contents may only be left out where all is written and nothing read.
  void check_fresh(const model::kernel_command& k, std::size_t p,
                   const std::vector<touched_runs>& touched) const {
    const model::array_view<const model::requirement> whole = whole_[index_].requirements;
    for (const model::requirement& needed : part(p).requirements) {
      if (!needed.no_init) continue;
      std::vector<byte_run> read, written;
      bool asked_for = false;
      for (std::uint32_t i = 0; i < whole.size(); ++i) {
        if (whole[i].buffer != needed.buffer) continue;
        asked_for = asked_for || whole[i].no_init;
        const model::footprint* const f = footprint_of(k, i);
        read.insert(read.end(), touched[i].read.begin(), touched[i].read.end());
        if (f != nullptr && f->writes_all)
          written.insert(written.end(), touched[i].written.begin(), touched[i].written.end());
      }
      if (asked_for) continue;
      sort_and_join(read);
      sort_and_join(written);
      const model::buffer_info& info = buffers_[needed.buffer.value()];
      const model::extent3 range = info.grid.range();
      const box& e = needed.elements;
      for (std::uint64_t z = e.lo[0]; z < e.hi[0]; ++z)
        for (std::uint64_t y = e.lo[1]; y < e.hi[1]; ++y) {
          const std::uint64_t row = (z * range[1] + y) * range[2];
          const std::vector<byte_run> named{
              {(row + e.lo[2]) * info.element_size, (row + e.hi[2]) * info.element_size}};
          byte_run common;
          const auto at = std::find_if(written.begin(), written.end(), [&](const byte_run& w) {
            return w.begin <= named[0].begin && w.end >= named[0].end;
          });
          if (at == written.end() || first_common(named, read, common) != nullptr)
            complain(p, fmt::format("leaves out what was in buffer {} before, and does not "
                                    "overwrite all of it unread",
                                    needed.buffer.value()));
        }
    }
  }

  // No part touches what another one writes.
  void check_apart(const std::vector<std::vector<touched_runs>>& touched) const {
    const model::array_view<const model::requirement> whole = whole_[index_].requirements;
    for (std::uint32_t i = 0; i < whole.size(); ++i)
      for (std::uint32_t j = 0; j < whole.size(); ++j) {
        if (whole[i].buffer != whole[j].buffer) continue;
        const model::buffer_info& info = buffers_[whole[i].buffer.value()];
        for (std::size_t p = 0; p < touched.size(); ++p)
          for (std::size_t q = 0; q < touched.size(); ++q) {
            byte_run common;
            if (p != q &&
                (first_common(touched[p][i].written, touched[q][j].written, common) != nullptr ||
                 first_common(touched[p][i].written, touched[q][j].read, common) != nullptr))
              complain(p, fmt::format("writes element {} of buffer {}, which part {} touches, too",
                                      in_braces(element_at(info, common.begin / info.element_size)),
                                      whole[i].buffer.value(), q));
          }
      }
  }

  model::array_view<const model::command> whole_;
  model::array_view<const model::buffer_info> buffers_;
  const split_graph& parts_;
  std::vector<std::size_t> first_;  // index: command of the whole graph, and one more
  std::size_t index_ = 0;           // the one that is looked at
  std::uint64_t most_visits_ = 0;   // for each access of a part
  bool exact_ = true;               // all of the part's accesses were looked at
};

}  // namespace

std::optional<violation> verify_parts(model::array_view<const model::command> whole,
                                      model::array_view<const model::buffer_info> buffers,
                                      const split_graph& parts) {
  try {
    parts_checker(whole, buffers, parts).check();
    return std::nullopt;
  } catch (const wrong_parts& w) {
    return violation{{}, "the kernels in parts: " + w.reason};
  }
}

}  // namespace pianola::planner
