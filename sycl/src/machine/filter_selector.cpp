// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/oneapi/filter_selector.hpp>

#include <fmt/format.h>

#include <pianola/model/backend_kind.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi {

filter_selector::filter_selector(const std::string& text) {
  for (std::size_t from = 0; from <= text.size();) {
    std::size_t to = text.find(',', from);
    if (to == std::string::npos) to = text.size();
    filters_.push_back(parse(text.substr(from, to - from), text));
    from = to + 1;
  }
}

int filter_selector::operator()(const device& d) const {
  const device preferred;
  for (std::size_t i = 0; i < filters_.size(); ++i)
    if (fits(filters_[i], d))
      return static_cast<int>(2 * (filters_.size() - i)) + (d == preferred ? 1 : 0);
  return -1;
}

device filter_selector::select_device() const { return device(*this); }

std::string filter_selector::lower(std::string word) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word;
}

filter_selector::filter filter_selector::parse(const std::string& one, const std::string& all) {
  filter f;
  int part = 0;  // of backend, type, number: the first that may still come
  bool any = false;
  for (std::size_t from = 0; from <= one.size();) {
    std::size_t to = one.find(':', from);
    if (to == std::string::npos) to = one.size();
    const std::string word = lower(one.substr(from, to - from));
    from = to + 1;
    const bool is_type = word == "cpu" || word == "gpu" || word == "acc" || word == "accelerator";
    const bool is_backend = ::pianola::model::backend_kind_of(word).has_value();
    const bool is_number =
        !word.empty() && word.size() < 9 && word.find_first_not_of("0123456789") == word.npos;
    if (word == "*" && part < 2)
      ++part;
    else if (is_backend && part < 1)
      f.backend = word, part = 1;
    else if (is_type && part < 2)
      f.type = word, part = 2;
    else if (is_number && part < 3)
      f.number = std::stol(word), part = 3;
    else
      sycl::detail::throw_error(
          errc::invalid,
          fmt::format("filter_selector: '{}' in '{}' is not expected there; a filter is "
                      "backend:type:number, such as cuda:gpu:0, of which parts may be left out",
                      word, all));
    any = true;
  }
  if (!any) sycl::detail::throw_error(errc::invalid, "filter_selector: the text is empty");
  return f;
}

bool filter_selector::of_kind(const filter& f, const device& d) {
  if (!f.backend.empty() && sycl::detail::device_access::properties(d).backend != f.backend)
    return false;
  if (f.type == "cpu") return d.is_cpu();
  if (f.type == "gpu") return d.is_gpu();
  if (f.type == "acc" || f.type == "accelerator") return d.is_accelerator();
  return true;
}

bool filter_selector::fits(const filter& f, const device& d) {
  if (!of_kind(f, d)) return false;
  if (f.number < 0) return true;
  long before = 0;
  for (const device& other : sycl::detail::all_devices()) {
    if (other == d) break;
    if (of_kind(f, other)) ++before;
  }
  return before == f.number;
}

}  // namespace ext::oneapi
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
