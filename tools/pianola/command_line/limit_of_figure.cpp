// SPDX-License-Identifier: Apache-2.0
#include "command_line/limit_of_figure.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::tool {

namespace {

constexpr std::array<std::string_view, 6> names = {"commands", "edges",   "transfers",
                                                   "bytes",    "seconds", "measured"};

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace

limit_of_figure limit_of_figure::read(const std::string& text) {
  const auto refuse = [&text] {
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("--fail-on takes commands, edges, transfers, bytes, seconds or measured, '>' "
                    "and a number, +N or +N%, such as 'bytes>+5%', and not '{}'",
                    formats::one_line(text, 60)));
  };
  limit_of_figure limit;
  limit.text_ = text;
  const std::size_t sign = text.find('>');
  if (sign == std::string::npos) refuse();
  const std::string_view all = text, name = all.substr(0, sign);
  std::size_t which = 0;
  while (which < names.size() && names[which] != name) ++which;
  if (which == names.size()) refuse();
  limit.figure_ = static_cast<figure>(which);
  std::string_view amount = all.substr(sign + 1);
  if (!amount.empty() && amount.front() == '+') {
    limit.unit_ = unit::more;
    amount.remove_prefix(1);
    if (!amount.empty() && amount.back() == '%') {
      limit.unit_ = unit::percent_more;
      amount.remove_suffix(1);
    }
  }
  const auto [end, error] =
      std::from_chars(amount.data(), amount.data() + amount.size(), limit.amount_);
  if (amount.empty() || error != std::errc() || end != amount.data() + amount.size() ||
      !std::isfinite(limit.amount_) || limit.amount_ < 0)
    refuse();
  return limit;
}

double limit_of_figure::of(const planner::graph_figures& f) const noexcept {
  switch (figure_) {
    case figure::commands:
      return static_cast<double>(f.commands);
    case figure::edges:
      return static_cast<double>(f.edges);
    case figure::transfers:
      return static_cast<double>(f.transfers);
    case figure::bytes:
      return static_cast<double>(f.bytes);
    case figure::seconds:
      return f.seconds;
    case figure::measured:
      return f.measured;
  }
  return 0;
}

std::string limit_of_figure::violation(const planner::graph_figures& a,
                                       const planner::graph_figures& b) const {
  if (figure_ == figure::measured && (of(b) <= 0 || (unit_ != unit::absolute && of(a) <= 0)))
    throw model::user_error(model::error_code::invalid,
                            fmt::format("--fail-on '{}': the graphs have no measured times; record "
                                        "them with PIANOLA_RECORD_TIMES=on",
                                        text_));
  const double before = of(a), now = of(b);
  const double most = unit_ == unit::absolute ? amount_
                      : unit_ == unit::more   ? before + amount_
                                              : before + before * amount_ / 100;
  if (now <= most) return {};
  return fmt::format("{}: {} -> {}", text_, number_text(before), number_text(now));
}

}  // namespace pianola::tool
