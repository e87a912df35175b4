// SPDX-License-Identifier: Apache-2.0
#include "waiting_kernels.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace pianola::driver {

namespace {

// Of the compiler's device_unit.hpp: entries of two numbers of 64 bits, the second of which is 0 where no kernel waits.
constexpr std::string_view record_section = ".pianola.units";
constexpr std::size_t record_bytes = 16;

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* to, std::size_t count = 1) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(sizeof(T) * count)));
}

bool is_linked(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         (header.e_type == ET_EXEC || header.e_type == ET_DYN) &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

bool fits(const Elf64_Shdr& section, std::uint64_t file_bytes) {
  return section.sh_type != SHT_NOBITS && section.sh_size <= file_bytes;
}

bool waits(std::ifstream& file, const Elf64_Shdr& section) {
  std::vector<std::uint64_t> numbers(section.sh_size / sizeof(std::uint64_t));
  if (!read_at(file, section.sh_offset, numbers.data(), numbers.size())) return false;
  for (std::size_t i = 1; i < numbers.size(); i += record_bytes / sizeof(std::uint64_t))
    if (numbers[i] != 0) return true;
  return false;
}

}  // namespace

bool has_waiting_kernels(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (error || !file || !read_at(file, 0, &header) || !is_linked(header)) return false;
  Elf64_Shdr first;
  if (header.e_shoff == 0 || !read_at(file, header.e_shoff, &first)) return false;
  // Where there are too many for the header, they are in the first section.
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const std::uint64_t names_at =
      header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (names_at >= count || count > file_bytes / sizeof(Elf64_Shdr)) return false;
  std::vector<Elf64_Shdr> sections(count);
  if (!read_at(file, header.e_shoff, sections.data(), sections.size())) return false;
  const Elf64_Shdr& named = sections[names_at];
  if (!fits(named, file_bytes)) return false;
  std::string names(named.sh_size, '\0');
  if (!read_at(file, named.sh_offset, names.data(), names.size())) return false;
  for (const Elf64_Shdr& section : sections)
    if (section.sh_name < names.size() &&
        std::string_view(names.c_str() + section.sh_name) == record_section &&
        fits(section, file_bytes) && waits(file, section))
      return true;
  return false;
}

}  // namespace pianola::driver
