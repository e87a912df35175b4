// SPDX-License-Identifier: Apache-2.0
#include "footprint_json.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <pianola/formats/json_geometry.hpp>
#include <pianola/formats/json_vocabulary.hpp>

namespace pianola::recorder {

namespace {

using formats::json_reader;
using formats::json_writer;
using formats::member;
using model::affine_access;

const model::box all_locals = affine_access{}.locals;

bool all_zero(const std::int64_t (&numbers)[3]) {
  return std::all_of(numbers, numbers + 3, [](std::int64_t n) { return n == 0; });
}

void write_numbers(json_writer& json, const char* key, const std::int64_t (&numbers)[3]) {
  json.key(key).open_array();
  for (const std::int64_t n : numbers) json.signed_number(n);
  json.close();
}

void write_access(json_writer& json, const affine_access& a) {
  json.open_object();
  json.key("read").truth(a.read).key("written").truth(a.written);
  if (a.reduction != model::reduction_operation::none)
    json.key("reduced_by").text(model::name_of(a.reduction));
  json.key("start").signed_number(a.start).key("length").number(a.length);
  write_numbers(json, "stride", a.stride);
  if (!all_zero(a.group_stride)) write_numbers(json, "group_stride", a.group_stride);
  json.key("ids").box(a.ids);
  if (a.locals != all_locals) json.key("locals").box(a.locals);
  if (std::any_of(a.loops, a.loops + affine_access::max_loops,
                  [](const model::access_loop& l) { return l.count != 1; })) {
    json.key("loops").open_array();
    for (const model::access_loop& l : a.loops) {
      if (l.count == 1) continue;
      json.open_object().key("stride").signed_number(l.stride).key("count").number(l.count);
      json.close();
    }
    json.close();
  }
  json.close();
}

void read_numbers(json_reader& json, std::int64_t (&numbers)[3]) {
  std::uint64_t count = 0;
  json.array([&](std::uint64_t i) {
    if (i == 3) json.fail("expected 3 numbers");
    numbers[i] = json.signed_number(formats::maximum_extent);
    ++count;
  });
  if (count != 3) json.fail(fmt::format("expected 3 numbers, found {}", count));
}

// Whoever computes with places and sizes does so with numbers up to this.
bool stays_within(const affine_access& a, const model::extent3& group) {
  __extension__ using wide = __int128;
  const wide limit = wide{1} << 62;
  wide reach = a.length;
  const auto add = [&](std::int64_t stride, std::uint64_t times) {
    if (reach <= limit) reach += (stride < 0 ? -wide{stride} : wide{stride}) * wide{times};
  };
  add(a.start, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    add(a.stride[d], a.ids.hi[d]);
    add(a.group_stride[d], a.ids.hi[d] / group[d] + 1);
  }
  for (const model::access_loop& l : a.loops) add(l.stride, l.count);
  return reach <= limit;
}

}  // namespace

void write_work(json_writer& json, const model::kernel_work& work) {
  if (work.bytes == 0 && work.operations == 0) return;
  json.key("work").open_object();
  if (work.bytes != 0) json.key("bytes").number(work.bytes, "the bytes of a kernel");
  if (work.operations != 0)
    json.key("operations").number(work.operations, "the operations of a kernel");
  json.close();
}

model::kernel_work read_work(json_reader& json) {
  static constexpr member members[] = {{"bytes", false}, {"operations", false}};
  model::kernel_work work;
  json.object(members, [&](std::size_t m) {
    const double amount = json.finite_number();
    if (!(amount > 0)) json.fail("it must be greater than 0; leave it out if it is not known");
    (m == 0 ? work.bytes : work.operations) = amount;
  });
  return work;
}

void write_footprints(json_writer& json, const model::kernel_command& kernel) {
  if (kernel.footprints.empty()) return;
  json.key("footprints").open_array();
  for (const model::footprint& f : kernel.footprints) {
    json.open_object();
    json.key("requirement").number(std::uint64_t{f.requirement});
    json.key("writes_all").truth(f.writes_all);
    json.key("accesses").open_array();
    for (const affine_access& a : f.accesses) write_access(json, a);
    json.close().close();
  }
  json.close();
}

model::array_view<const model::footprint> footprint_reader::read(
    json_reader& json, const model::launch_geometry& geometry, std::size_t requirements) {
  footprints_.clear();
  accesses_.clear();
  json.array([&](std::uint64_t) { read_footprint(json, geometry, requirements); });
  for (std::size_t i = 0; i < footprints_.size(); ++i) footprints_[i].accesses = accesses_[i];
  return footprints_;
}

void footprint_reader::read_footprint(json_reader& json, const model::launch_geometry& geometry,
                                      std::size_t requirements) {
  static constexpr member members[] = {{"requirement"}, {"writes_all"}, {"accesses"}};
  model::footprint f;
  if (geometry.grouped) f.group = geometry.local;
  std::vector<affine_access>& accesses = accesses_.emplace_back();
  json.object(members, [&](std::size_t m) {
    if (m == 0) {
      const std::uint64_t r = json.whole_number();
      if (r >= requirements) json.fail(fmt::format("unknown requirement {}", r));
      f.requirement = static_cast<std::uint32_t>(r);
      if (!footprints_.empty() && footprints_.back().requirement >= f.requirement)
        json.fail("footprints stand in the order of their requirements, one for each at most");
    }
    if (m == 1) f.writes_all = json.boolean();
    if (m == 2) json.array([&](std::uint64_t) { accesses.push_back(read_access(json, geometry)); });
  });
  footprints_.push_back(f);
}

affine_access footprint_reader::read_access(json_reader& json,
                                            const model::launch_geometry& geometry) {
  static constexpr member members[] = {
      {"read"},          {"written"},     {"reduced_by", false},   {"start"},
      {"length"},        {"stride"},      {"group_stride", false}, {"ids"},
      {"locals", false}, {"loops", false}};
  affine_access a;
  json.object(members, [&](std::size_t m) {
    if (m == 0) a.read = json.boolean();
    if (m == 1) a.written = json.boolean();
    if (m == 2) a.reduction = formats::read_word<model::reduction_operation>(json);
    if (m == 3) a.start = json.signed_number(formats::maximum_extent);
    if (m == 4) a.length = json.whole_number(formats::maximum_extent);
    if (m == 5) read_numbers(json, a.stride);
    if (m == 6) read_numbers(json, a.group_stride);
    if (m == 7) {
      a.ids = formats::read_box(json);
      if (!contains(model::box::of(geometry.global), a.ids))
        json.fail("there are no work-items with some of these ids");
    }
    if (m == 8) a.locals = formats::read_box(json);
    if (m == 9)
      json.array([&](std::uint64_t i) {
        if (i == affine_access::max_loops) json.fail("an access has 3 loops at most");
        static constexpr member of_loop[] = {{"stride"}, {"count"}};
        json.object(of_loop, [&](std::size_t n) {
          if (n == 0) a.loops[i].stride = json.signed_number(formats::maximum_extent);
          if (n == 1) a.loops[i].count = json.whole_number(formats::maximum_extent);
        });
      });
  });
  if (!a.read && a.reduction != model::reduction_operation::none)
    json.fail("nothing is read that could be reduced");
  if (!geometry.grouped && (!all_zero(a.group_stride) || a.locals != all_locals))
    json.fail("a kernel over a range has no groups that accesses could depend on");
  if (!stays_within(a, geometry.grouped ? geometry.local : model::extent3{{1, 1, 1}}))
    json.fail("the access reaches further than 2^62 bytes");
  return a;
}

}  // namespace pianola::recorder
