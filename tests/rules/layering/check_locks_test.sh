#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_locks_test.sh PYTHON WORK: check_locks.py accepts a table that has each lock once, and names each kind of fault.
set -u
python=$("$1" -c "import sys; print(sys.executable)")  # where that is a script which looks for it
work=$2
check=$(dirname "$0")/check_locks.py
outcome=0

fresh() {
  rm -rf "$work"
  mkdir -p "$work"/docs "$work"/part/src
  cat >"$work"/part/src/a.hpp <<'SOURCE'
#include <mutex>
namespace here {
enum class kind { one };
// A std::mutex is no lock in a comment.
class first final : public base {
 public:
  void use() {
    std::lock_guard<std::mutex> lock(mutex_);
    struct waits { int n; } w{0};
    log("std::mutex in a text; {");
  }
  explicit first(std::mutex& of, std::unique_lock<runtime_mutex>& lock);

 private:
  struct state {
    std::mutex mutex;
  };
  std::mutex* of_ = nullptr;
  mutable std::shared_mutex mutex_;
};
class second {
  runtime_mutex mutex_;
  std::mutex other_mutex_;
};
}  // namespace here
SOURCE
  cat >"$work"/part/src/b.cpp <<'SOURCE'
namespace {
std::mutex start_mutex;
}
template <class Of = int> int count() {
  static std::mutex counts{};
  return 1;
}
SOURCE
  cat >"$work"/docs/table.md <<'TABLE'
| lock | protects | taken while holding |
| --- | --- | --- |
| `first::mutex_`, `first::state` | all | nothing |
| `here::second::mutex_`, `second::other_mutex_` | others | `nobody` |
| `start_mutex`, `counts` in [b.cpp](../part/src/b.cpp) | the start | nothing |

`no_lock` is below the table.
TABLE
}
# expect WORDS: the check fails and says so; without WORDS it passes.
expect() {
  local said
  said=$("$python" "$check" "$work" docs/table.md part 2>&1)
  local code=$?
  if [ $# -eq 0 ] && [ $code -ne 0 ]; then
    printf 'refused what is right:\n%s\n' "$said" >&2
    outcome=1
  elif [ $# -eq 1 ] && { [ $code -eq 0 ] || [[ $said != *"$1"* ]]; }; then
    printf 'did not say "%s" but:\n%s\n' "$1" "$said" >&2
    outcome=1
  fi
}
table() { sed -i "$1" "$work"/docs/table.md; }

fresh
expect
table 's/, `first::state`//'
expect "part/src/a.hpp:16: the lock 'state::mutex' is not in the table of locks in docs/table.md"
fresh
table 's/`first::mutex_`, //'
expect "the lock 'first::mutex_' is not in the table"
fresh
table 's/`here::second::mutex_`, //'
expect "the lock 'second::mutex_' is not in the table"
fresh
table 's/`start_mutex`, //'
expect "part/src/b.cpp:2: the lock 'start_mutex' is not in the table"
fresh
table 's/, `counts`//'
expect "the lock 'counts' is not in the table"
fresh
table 's,/b.cpp),/a.hpp),'
expect "the table of locks names 'start_mutex', which is no lock"
fresh
table 's/first::state/third/'
expect "the table of locks names 'third', which is no lock"
fresh
table 's/here::second::mutex_/second/'
expect "'second' in the table of locks may be any of part/src/a.hpp:22, part/src/a.hpp:23"
fresh
table 's/, `second::other_mutex_`/, `second::other_mutex_`, `first::state`/'
expect "the table of locks has 'state::mutex' in 2 rows"
fresh
echo 'std::array<std::mutex, 4> several;' >>"$work"/part/src/b.cpp
expect "part/src/b.cpp:8: a mutex in a form that"
fresh
echo 'no table' >"$work"/docs/table.md
expect "there is no table of locks"
rm -rf "$work"
exit $outcome
