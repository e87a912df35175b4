# SPDX-License-Identifier: Apache-2.0
"""Planning of command graphs: what a program moves and waits for, on machines that need not be here.

Graphs are read from the files that Pianola writes, or built by hand; plans are made, verified, simulated and explained.
Times are in seconds, sizes in bytes. Commands, buffers, devices, memories and steps are named by their numbers. Bad input
gives pianola.Error, a ValueError, with one line that says what to do.

    import pianola
    graph = pianola.Graph.load("graph-0.graph.json")
    plan = pianola.make_plan(graph, placement=pianola.Placement.anywhere)
    print(plan.simulate().makespan)

Lists (Graph.commands, Plan.steps, Simulation.steps, ...) are made anew each time that they are asked for: outside of loops.

Tables (pandas) and plots (matplotlib) need these packages only when they are called.
"""
from ._planning import (
    Access,
    Allocation,
    Buffer,
    Command,
    CommandKind,
    Device,
    DeviceUse,
    Error,
    Explanation,
    Finding,
    FindingKind,
    Graph,
    Link,
    LinkUse,
    Machine,
    Memory,
    Objective,
    Placement,
    Plan,
    Requirement,
    Simulation,
    Step,
    StepTimes,
    Suggestion,
    Transfer,
    UsmKind,
    UsmRange,
    Violation,
    make_plan,
    overwrites,
    reads,
    updates,
)
from .plots import plot_lanes, plot_links
from .tables import command_table, link_table, transfer_table

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("plots", "tables")]
