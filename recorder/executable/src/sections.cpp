// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "check.hpp"
#include "pianola/executable/file.hpp"

namespace pianola::executable {

bool is_executable(std::string_view head) noexcept {
  return head.size() >= sizeof magic && std::memcmp(head.data(), magic, sizeof magic) == 0;
}

namespace {

class section_finder {
 public:
  section_finder(const formats::file_bytes& bytes, const std::string& source,
                 std::optional<std::uint64_t> sum)
      : bytes_(bytes), source_(source), sum_(sum) {}

  file_layout find() {
    check_header();
    file_layout layout;
    layout.header = header_;
    std::size_t next = 0;
#define PIANOLA_FIND(name, record) layout.name = section<record>(next++, #name);
    PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_FIND)
#undef PIANOLA_FIND
    return layout;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw model::user_error(model::error_code::invalid,
                            fmt::format("{}: {}", formats::one_line(source_), reason));
  }

  void check_header() {
    const std::string_view head(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (!is_executable(head)) fail("is no executable graph of Pianola");
    // What every version begins with.
    constexpr std::size_t first_part = offsetof(file_header, file_bytes);
    if (bytes_.size() < first_part) fail("ends within its header");
    header_ = reinterpret_cast<const file_header*>(bytes_.data());
    if (header_->byte_order != byte_order_mark)
      fail("was written on a machine with another byte order; save the graph on this one");
    if (header_->version != format_version)
      fail(fmt::format("unknown version {}; this program reads version {}", header_->version,
                       format_version));
    if (bytes_.size() < sizeof *header_) fail("ends within its header");
    if (header_->file_bytes != bytes_.size())
      fail(fmt::format("has {} bytes, and says that it has {}: it was cut or added to",
                       bytes_.size(), header_->file_bytes));
    if (!sum_) sum_ = checksum(bytes_.data() + before_sum, bytes_.size() - before_sum);
    if (*sum_ != header_->checksum) fail("its checksum is wrong: the file was damaged");
    if (header_->sections != section_count)
      fail(fmt::format("has {} sections, expected {}", header_->sections, section_count));
  }

  // Sections follow each other: addresses are written into one of them, which must be in no other one.
  template <class Record>
  model::array_view<const Record> section(std::size_t index, const char* name) {
    const section_place& p = header_->places[index];
    const std::uint64_t size = bytes_.size();
    if (p.offset % section_alignment != 0 || p.offset > size ||
        p.count > (size - p.offset) / sizeof(Record))
      fail(std::string(name) + ": lies outside of the file");
    if (p.offset < end_) fail(std::string(name) + ": lies in the section before it");
    end_ = p.offset + p.count * sizeof(Record);
    return {reinterpret_cast<const Record*>(bytes_.data() + p.offset),
            static_cast<std::size_t>(p.count)};
  }

  const formats::file_bytes& bytes_;
  const std::string& source_;
  std::optional<std::uint64_t> sum_;
  const file_header* header_ = nullptr;
  std::uint64_t end_ = sizeof(file_header);  // of the section before
};

}  // namespace

file_layout find_sections(const formats::file_bytes& bytes, const std::string& source,
                          std::optional<std::uint64_t> sum) {
  return section_finder(bytes, source, sum).find();
}

}  // namespace pianola::executable
