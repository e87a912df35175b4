// SPDX-License-Identifier: Apache-2.0
// What threads of a processor take to work together, in nanoseconds: found by trying, and not measured anew. What they are
// held against, the times of kernels, is.
#pragma once

namespace pianola::planner {

// Threads that run one graph together. A handover is one way of a cache line from core to core, of which there and back
// takes 60 to 500 ns (tests/bench/core_distance.cpp measures it). The others are where cutting a kernel was found to pay.
struct strand_costs {
  double handover = 150.0;   // waiting for what another thread does
  double cut_from = 2000.0;  // kernels that take less run on one thread
  double cut_in_chain_from =
      400.0;  // if the next step waits for it: half of it is saved at the price of a handover
};

// The team of threads, when it decides who helps.
struct team_costs {
  double spread_from =
      3000.0;  // kernels that take less run on the thread that has them: to open and close a section are
               // two round trips of cache lines
  double part =
      1500.0;  // the least that a thread is to do of a kernel, beside what it takes to claim it
  double piece = 200.0;               // the least of a step that goes piece by piece
  double graph_spread_from = 2000.0;  // graphs that take less: no second thread can pay
  double graph_guessed_from =
      100000.0;  // a first run that is expected to take so long is made in parallel from guesses
  double wake_from = 50000.0;  // what takes less ends before a thread that sleeps has woken up
};

}  // namespace pianola::planner
