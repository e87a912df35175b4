# SPDX-License-Identifier: Apache-2.0
"""Pictures of plans by matplotlib."""

from .tables import _names


def _axes(axes):
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(10, 4), layout="constrained")[1]


def plot_lanes(plan, simulation=None, axes=None):
    """Draws when each step of the plan runs: a row for each lane, commands in colours by name, transfers in grey, the critical
    path with a dark frame. Returns the matplotlib axes, new ones if none are given."""
    from matplotlib import colormaps
    from matplotlib.patches import Patch
    from matplotlib.ticker import EngFormatter

    simulation = simulation or plan.simulate()
    axes = _axes(axes)
    commands = plan.graph.commands
    _, _, devices = _names(plan)
    critical, times_of = set(simulation.critical_path), simulation.steps  # each list is made when it is asked for
    colours, kinds, lanes = colormaps["tab20"], {}, {}
    for step in plan.steps:
        lanes[step.lane] = f"{devices[step.device]}, lane {step.lane}"
        times = times_of[step.id]
        if step.command is None:
            label, colour = "transfer", "0.7"
        else:
            label = commands[step.command].name or commands[step.command].kind.name
            colour = colours(2 * (len([k for k in kinds if k != "transfer"]) % 10)) if label not in kinds else kinds[label]
        colour = kinds.setdefault(label, colour)
        axes.barh(step.lane, times.end - times.start, left=times.start, height=0.8, color=colour,
                  edgecolor="black" if step.id in critical else "white", linewidth=1.2 if step.id in critical else 0.4)
    axes.set_yticks(sorted(lanes), [lanes[lane] for lane in sorted(lanes)])
    axes.invert_yaxis()
    axes.set_xlim(0, simulation.makespan or 1)
    axes.xaxis.set_major_formatter(EngFormatter("s"))
    shown = list(kinds.items())[:12]
    axes.legend(handles=[Patch(color=colour, label=label) for label, colour in shown], loc="center left",
                bbox_to_anchor=(1.0, 0.5), fontsize="small")
    return axes


def plot_links(plan, simulation=None, axes=None):
    """Draws the bytes that go over each link of the machine. Returns the matplotlib axes, new ones if none are given."""
    from matplotlib.ticker import EngFormatter

    simulation = simulation or plan.simulate()
    axes = _axes(axes)
    _, memories, _ = _names(plan)
    names = [f"{memories[use.source]} → {memories[use.target]}" for use in simulation.links]
    bars = axes.barh(names, [use.bytes for use in simulation.links], color="0.5")
    axes.bar_label(bars, [f" {use.transfers} ×" if use.transfers else "" for use in simulation.links])
    axes.margins(x=0.1)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(EngFormatter("B"))
    return axes
