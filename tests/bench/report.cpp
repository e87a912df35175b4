// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "core_distance.hpp"

namespace bench {

namespace {

// Longer than the threads of any runtime here spin before they sleep (libgomp's 3.4 to 7.4 ms on an EPYC of Zen 4), so that
// the side measured next has the cores to itself.
constexpr auto settling_time = std::chrono::milliseconds(40);
// Fewer rounds in one state of the cores than this are not worth a line, if there is another.
constexpr std::size_t enough_rounds = 3;

struct pair_of_rounds {
  double ours = 0;
  double reference = 0;
  core_state state = core_state::fast;
  bool steady = true;  // the cores were in the same state before and after
};

struct quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};

quartiles quartiles_of(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const std::size_t n = v.size();
  return {v[n / 4], v[n / 2], v[(3 * n) / 4]};
}

double one_round(const comparison& c, const subject& s) {
  std::this_thread::sleep_for(settling_time);
  if (c.warm_up != 0) s.run(c.warm_up);
  return s.run(c.units) / static_cast<double>(c.units) * c.per_nanosecond;
}

std::string number(double v) {
  char text[32];
  const double magnitude = std::fabs(v);
  std::snprintf(text, sizeof text,
                magnitude >= 1000  ? "%.0f"
                : magnitude >= 100 ? "%.1f"
                : magnitude >= 10  ? "%.2f"
                                   : "%.3f",
                v);
  return text;
}

std::string goal_text(const comparison& c) {
  switch (c.goal.what) {
    case target::kind::none:
      return "-";
    case target::kind::ours:
      return "<= " + number(c.goal.at_most) + " " + c.unit;
    case target::kind::ratio:
      return "<= " + number(c.goal.at_most) + "x";
    case target::kind::difference:
      return "<= reference + " + number(c.goal.at_most);
  }
  return "";
}

constexpr const char* line_format = "%-42s %10s %10s  %-14s %7s %-17s %-22s %-4s %-9s %s\n";

void print_line(const comparison& c, const std::vector<const pair_of_rounds*>& rounds,
                const std::string& state) {
  std::vector<double> ours, reference, ratio, difference;
  for (const pair_of_rounds* p : rounds) {
    ours.push_back(p->ours);
    reference.push_back(p->reference);
    ratio.push_back(p->ours / p->reference);
    difference.push_back(p->ours - p->reference);
  }
  const double our_median = quartiles_of(ours).median;
  const bool compared = c.reference != nullptr;
  const quartiles r = compared ? quartiles_of(ratio) : quartiles{};
  const double judged = c.goal.what == target::kind::ours         ? our_median
                        : c.goal.what == target::kind::difference ? quartiles_of(difference).median
                                                                  : r.median;
  const char* met = c.goal.what == target::kind::none ? "-"
                    : judged <= c.goal.at_most        ? "yes"
                                                      : "NO";
  std::printf(line_format, c.name.c_str(), (number(our_median)).c_str(),
              compared ? number(quartiles_of(reference).median).c_str() : "-", c.unit.c_str(),
              compared ? number(r.median).c_str() : "-",
              compared ? ("[" + number(r.lower) + ", " + number(r.upper) + "]").c_str() : "-",
              goal_text(c).c_str(), met, state.c_str(),
              (c.reference_name + (c.published.empty() ? "" : "; " + c.published)).c_str());
  std::fflush(stdout);
}

// False if the two sides disagree.
bool run(const comparison& c, double effort) {
  const subject ours = c.ours();
  const subject reference = c.reference ? c.reference() : subject{};
  const auto rounds = std::max(1U, static_cast<unsigned>(std::lround(c.rounds * effort)));
  std::vector<pair_of_rounds> all;
  core_state before = state_for(cache_line_round_trip());
  for (unsigned i = 0; i < rounds; ++i) {
    pair_of_rounds p;
    p.ours = one_round(c, ours);
    if (reference.run) p.reference = one_round(c, reference);
    std::this_thread::sleep_for(settling_time);
    const core_state after = state_for(cache_line_round_trip());
    p.state = before;
    p.steady = before == after;
    before = after;
    // The first rounds find cold caches and unknown kernels.
    if (i >= 2 || rounds <= 4) all.push_back(p);
  }

  bool printed = false;
  for (const core_state s : {core_state::fast, core_state::slow, core_state::single}) {
    std::vector<const pair_of_rounds*> chosen;
    for (const auto& p : all)
      if (p.steady && p.state == s) chosen.push_back(&p);
    if (chosen.size() < std::min(enough_rounds, all.size())) continue;
    print_line(c, chosen, name_of(s));
    printed = true;
  }
  if (!printed) {
    std::vector<const pair_of_rounds*> chosen;
    for (const auto& p : all) chosen.push_back(&p);
    print_line(c, chosen, "mixed");
  }
  if (ours.checksum && reference.checksum) {
    const double a = ours.checksum(), b = reference.checksum();
    if (!(std::fabs(a - b) <= c.tolerance * std::max(std::fabs(a), std::fabs(b)))) {
      std::printf("%s: WRONG RESULT: checksum %.17g, the reference's is %.17g\n", c.name.c_str(), a,
                  b);
      return false;
    }
  }
  return true;
}

}  // namespace

int print_report(const std::vector<comparison>& all, double effort) {
  std::printf(
      "Medians of alternating rounds; the ratio is the median of the rounds' ratios [quartiles].\n"
      "State of the cores: a cache line's round trip takes %.0f ns now; fast is below 150 ns.\n\n",
      cache_line_round_trip());
  std::printf(line_format, "name", "ours", "reference", "unit", "ratio", "[quartiles]", "target",
              "met", "state", "reference is");
  int wrong = 0;
  for (const comparison& c : all) wrong += run(c, effort) ? 0 : 1;
  std::printf("\nA cache line's round trip takes %.0f ns now.\n", cache_line_round_trip());
  return wrong;
}

}  // namespace bench
