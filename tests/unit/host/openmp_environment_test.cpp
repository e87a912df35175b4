// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/openmp_environment.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/model/error.hpp>

namespace pianola::host {
namespace {

std::map<std::string, std::string> variables;

// Of a machine with four cores of two processors each, 0 and 4, 1 and 5, ..., and two sockets.
std::vector<processor_list> places_of_a_machine(place_kind kind) {
  switch (kind) {
    case place_kind::threads:
      return {{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}};
    case place_kind::cores:
      return {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
    case place_kind::last_level_caches:
    case place_kind::sockets:
    case place_kind::numa_domains:
      return {{0, 1, 4, 5}, {2, 3, 6, 7}};
  }
  return {};
}

team_request read(std::map<std::string, std::string> values,
                  const processor_list& processors = {0, 1, 2, 3, 4, 5, 6, 7}) {
  variables = std::move(values);
  return read_openmp_environment(
      [](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      processors, places_of_a_machine);
}

std::vector<processor_list> places(const std::string& value) {
  return read({{"OMP_PLACES", value}}).places;
}

std::string refusal(const std::string& name, const std::string& value) {
  try {
    static_cast<void>(read({{name, value}}));
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::platform);
    return e.what();
  }
  return "none";
}

using list = std::vector<processor_list>;

TEST(openmp_environment, wants_nothing_if_no_variable_is_set) {
  const team_request r = read({{"OMP_NUM_THREADS", ""}, {"OMP_PLACES", ""}});
  EXPECT_EQ(r.threads, 0U);
  EXPECT_EQ(r.at_most, 0U);
  EXPECT_EQ(r.stack_bytes, 0U);
  EXPECT_EQ(r.how, binding::none);
  EXPECT_TRUE(r.places.empty());
}

TEST(openmp_environment, takes_the_first_of_a_list) {
  EXPECT_EQ(read({{"OMP_NUM_THREADS", " 4 , 3,2"}}).threads, 4U);
  EXPECT_EQ(read({{"OMP_PROC_BIND", "Spread,close"}}).how, binding::spread);
  EXPECT_EQ(read({{"OMP_PROC_BIND", "TRUE"}}).how, binding::close);
  EXPECT_EQ(read({{"OMP_PROC_BIND", "master"}}).how, binding::primary);
}

TEST(openmp_environment, knows_the_units_of_stack_sizes) {
  EXPECT_EQ(read({{"OMP_STACKSIZE", "2000500B"}}).stack_bytes, 2000500U);
  EXPECT_EQ(read({{"OMP_STACKSIZE", "3000 k "}}).stack_bytes, 3000U << 10);
  EXPECT_EQ(read({{"OMP_STACKSIZE", "10M"}}).stack_bytes, 10U << 20);
  EXPECT_EQ(read({{"OMP_STACKSIZE", "20000"}}).stack_bytes, 20000U << 10);
}

TEST(openmp_environment, binds_where_places_are_named_or_asked_for) {
  EXPECT_EQ(read({{"OMP_PLACES", "threads"}}).how, binding::close);
  EXPECT_EQ(read({{"OMP_PROC_BIND", "close"}}).places, (list{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(read({{"OMP_PROC_BIND", "false"}, {"OMP_PLACES", "threads"}}).how, binding::none);
}

TEST(openmp_environment, gives_no_places_where_nothing_is_to_be_bound) {
  EXPECT_EQ(read({{"OMP_PROC_BIND", "false"}, {"OMP_PLACES", "threads"}}).places, list{});
  EXPECT_EQ(read({{"OMP_PROC_BIND", "false"}, {"OMP_PLACES", "{0},{1}"}}).places, list{});
  EXPECT_EQ(read({{"OMP_PROC_BIND", "false"}}).places, list{});
}

TEST(openmp_environment, reads_places) {
  EXPECT_EQ(places("cores(2)"), (list{{0, 4}, {1, 5}}));
  EXPECT_EQ(places(" Sockets "), (list{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(places("{0,1},{3}"), (list{{0, 1}, {3}}));
  EXPECT_EQ(places("{0:2}:3:2"), (list{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(places("{6}:3:-3"), (list{{6}, {3}, {0}}));
  EXPECT_EQ(places("{0:4,!2}"), (list{{0, 1, 3}}));
  EXPECT_EQ(places("{0}:4,!{2}"), (list{{0}, {1}, {3}}));
  EXPECT_EQ(places("{1:2:4}"), (list{{1, 5}}));
  EXPECT_EQ(places("2,5"), (list{{2}, {5}}));
}

TEST(openmp_environment, leaves_out_what_the_process_may_not_use) {
  EXPECT_EQ(read({{"OMP_PLACES", "cores"}}, {1, 5, 6}).places, (list{{1, 5}, {6}}));
  EXPECT_EQ(places("{7:3},{12}"), (list{{7}}));
  EXPECT_NE(refusal("OMP_PLACES", "{8:4}").find("this process may use"), std::string::npos);
}

TEST(openmp_environment, refuses_what_openmp_does_not_know) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"OMP_NUM_THREADS", "two"},
                                                        {"OMP_NUM_THREADS", "0"},
                                                        {"OMP_NUM_THREADS", "-1"},
                                                        {"OMP_NUM_THREADS", "4,"},
                                                        {"OMP_NUM_THREADS", "4;5"},
                                                        {"OMP_NUM_THREADS", "99999999999999999999"},
                                                        {"OMP_THREAD_LIMIT", "2,3"},
                                                        {"OMP_STACKSIZE", "12X"},
                                                        {"OMP_STACKSIZE", "-5"},
                                                        {"OMP_STACKSIZE", "M"},
                                                        {"OMP_PROC_BIND", "maybe"},
                                                        {"OMP_PROC_BIND", "close spread"},
                                                        {"OMP_PROC_BIND", "close,"},
                                                        {"OMP_PLACES", "rooms"},
                                                        {"OMP_PLACES", "cores(0)"},
                                                        {"OMP_PLACES", "cores(2"},
                                                        {"OMP_PLACES", "{0,1"},
                                                        {"OMP_PLACES", "{0},,{1}"},
                                                        {"OMP_PLACES", "{}"},
                                                        {"OMP_PLACES", "{0:0}"},
                                                        {"OMP_PLACES", "{0}:2:-1"},
                                                        {"OMP_PLACES", "{-1}"},
                                                        {"OMP_PLACES", "{0}:1000000000"},
                                                        {"OMP_PLACES", "{0} x"}}) {
    const std::string text = refusal(name, value);
    EXPECT_EQ(text.find(name + "='" + value + "': "), 0U) << text;
  }
}

TEST(distribution, of_threads_over_places_is_that_of_openmp) {
  using where = std::vector<std::size_t>;
  EXPECT_EQ(distribute(binding::close, 3, 4, 2), (where{2, 3, 0}));
  EXPECT_EQ(distribute(binding::spread, 2, 4, 1), (where{1, 3}));
  EXPECT_EQ(distribute(binding::close, 6, 3, 0), (where{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(distribute(binding::spread, 6, 3, 1), (where{1, 1, 2, 2, 0, 0}));
  EXPECT_EQ(distribute(binding::primary, 3, 4, 2), (where{2, 2, 2}));
}

}  // namespace
}  // namespace pianola::host
