// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <pianola/runtime/streams.hpp>

namespace pianola::runtime {

namespace {

std::uint32_t length_of(const stream_record& r) { return r.format >> stream_length_shift & 255; }

std::size_t units_of(const stream_record& r) {
  if (static_cast<stream_kind>(r.format & stream_kind_mask) != stream_kind::characters) return 1;
  const std::size_t bytes = offsetof(stream_record, value) + length_of(r);
  return std::max<std::size_t>(1, (bytes + stream_unit - 1) / stream_unit);
}

std::string integer(const stream_record& r, bool is_signed) {
  char text[72];
  if ((r.format & stream_hexadecimal) != 0) {
    std::snprintf(text, sizeof text, (r.format & stream_show_base) != 0 ? "%#llx" : "%llx",
                  static_cast<unsigned long long>(r.value));
  } else if ((r.format & stream_octal) != 0) {
    std::snprintf(text, sizeof text, (r.format & stream_show_base) != 0 ? "%#llo" : "%llo",
                  static_cast<unsigned long long>(r.value));
  } else if (is_signed) {
    std::snprintf(text, sizeof text, (r.format & stream_show_sign) != 0 ? "%+lld" : "%lld",
                  static_cast<long long>(r.value));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(r.value));
  }
  return text;
}

std::string real(const stream_record& r, double value) {
  const bool sign = (r.format & stream_show_sign) != 0;
  const int precision = length_of(r) == 0 ? 6 : static_cast<int>(length_of(r)) - 1;
  const bool fixed = (r.format & stream_fixed) != 0;
  const bool scientific = (r.format & stream_scientific) != 0;
  const char* form = nullptr;
  if (fixed && scientific)
    form = sign ? "%+a" : "%a";
  else if (fixed)
    form = sign ? "%+.*f" : "%.*f";
  else if (scientific)
    form = sign ? "%+.*e" : "%.*e";
  else
    form = sign ? "%+.*g" : "%.*g";
  const auto print = [&](char* to, std::size_t size) {
    return fixed && scientific ? std::snprintf(to, size, form, value)
                               : std::snprintf(to, size, form, precision, value);
  };
  std::string text(static_cast<std::size_t>(std::max(0, print(nullptr, 0))), '\0');
  print(text.data(), text.size() + 1);
  return text;
}

std::string text_of(const stream_record& r) {
  switch (static_cast<stream_kind>(r.format & stream_kind_mask)) {
    case stream_kind::end:
      return {};
    case stream_kind::characters:
      return {reinterpret_cast<const char*>(&r) + offsetof(stream_record, value), length_of(r)};
    case stream_kind::boolean:
      return r.value != 0 ? "true" : "false";
    case stream_kind::signed_integer:
      return integer(r, true);
    case stream_kind::unsigned_integer:
      return integer(r, false);
    case stream_kind::single_precision: {
      const auto bits = static_cast<std::uint32_t>(r.value);
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return real(r, static_cast<double>(value));
    }
    case stream_kind::double_precision: {
      double value = 0;
      std::memcpy(&value, &r.value, sizeof value);
      return real(r, value);
    }
    case stream_kind::pointer: {
      char text[32];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(r.value));
      return text;
    }
  }
  return {};
}

}  // namespace

void print_stream(stream_header& header, const stream_record* records, std::size_t units,
                  std::size_t characters) {
  const std::size_t used = std::min<std::size_t>(header.used, units);
  header = {};
  std::vector<const stream_record*> found;
  for (std::size_t at = 0; at < used; at += units_of(records[at])) {
    if (static_cast<stream_kind>(records[at].format & stream_kind_mask) == stream_kind::end) break;
    found.push_back(records + at);
  }
  // Records of one statement stay as they are in memory.
  std::sort(found.begin(), found.end(), [](const stream_record* a, const stream_record* b) {
    return a->ticket != b->ticket ? a->ticket < b->ticket : a < b;
  });
  std::string all;
  for (const stream_record* r : found) {
    std::string text = text_of(*r);
    const std::size_t width = r->format >> stream_width_shift;
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    all += text;
    if (all.size() >= characters) break;
  }
  if (all.size() > characters) all.resize(characters);
  std::fwrite(all.data(), 1, all.size(), stdout);
  std::fflush(stdout);
}

}  // namespace pianola::runtime
