# SPDX-License-Identifier: Apache-2.0
"""Plans as tables of pandas."""


def _names(plan):
    graph, machine = plan.graph, plan.machine
    buffers = [b.name or f"buffer {i}" for i, b in enumerate(graph.buffers)]
    memories = [m.name or f"memory {i}" for i, m in enumerate(machine.memories)]
    devices = [d.name or f"device {i}" for i, d in enumerate(machine.devices)]
    return buffers, memories, devices


def command_table(plan, simulation=None):
    """One row for each command of the plan, by its number: name, kind, device, lane, step, start, end and seconds.

    `simulation` is what plan.simulate() gave; without it the plan is simulated.
    """
    import pandas

    simulation = simulation or plan.simulate()
    commands = plan.graph.commands
    _, _, devices = _names(plan)
    critical, times_of = set(simulation.critical_path), simulation.steps  # each list is made when it is asked for
    rows = []
    for step in plan.steps:
        if step.command is None:
            continue
        command, times = commands[step.command], times_of[step.id]
        rows.append(
            (step.command, command.name, command.kind.name, devices[step.device], step.lane, step.id, times.start,
             times.end, times.end - times.start, step.id in critical))
    columns = ["command", "name", "kind", "device", "lane", "step", "start", "end", "seconds", "critical"]
    return pandas.DataFrame(rows, columns=columns).set_index("command").sort_index()


def transfer_table(plan, simulation=None):
    """One row for each transfer of the plan, by its step: buffer, source, target, bytes, elements, start, end, seconds."""
    import pandas

    simulation = simulation or plan.simulate()
    buffers, memories, _ = _names(plan)
    critical, times_of = set(simulation.critical_path), simulation.steps  # each list is made when it is asked for
    rows = []
    for step in plan.steps:
        moved = step.transfer
        if moved is None:
            continue
        times = times_of[step.id]
        rows.append(
            (step.id, buffers[moved.buffer], memories[moved.source], memories[moved.target], moved.bytes, moved.elements,
             step.lane, times.start, times.end, times.end - times.start, step.id in critical))
    columns = ["step", "buffer", "source", "target", "bytes", "elements", "lane", "start", "end", "seconds", "critical"]
    return pandas.DataFrame(rows, columns=columns).set_index("step")


def link_table(plan, simulation=None):
    """One row for each link of the machine: source, target, bytes, transfers."""
    import pandas

    simulation = simulation or plan.simulate()
    _, memories, _ = _names(plan)
    rows = [(memories[use.source], memories[use.target], use.bytes, use.transfers) for use in simulation.links]
    return pandas.DataFrame(rows, columns=["source", "target", "bytes", "transfers"])
