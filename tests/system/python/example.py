# SPDX-License-Identifier: Apache-2.0
"""What several tests build."""
import pianola


def machine(bandwidth=1e10):
    """A host and two devices with memories of their own."""
    m = pianola.Machine()
    memories = [m.add_memory(name, 1 << 30) for name in ("left", "right")]
    m.add_device("processor", 0, backend="openmp")
    for memory, name in zip(memories, ("device 1", "device 2")):
        m.connect(0, memory, bandwidth=bandwidth, latency=1e-5)
        m.add_device(name, memory)
    return m


def graph(on=None, page=(64, 1024), candidates=()):
    """Device 1 fills u, device 2 makes v of its upper half, the host reads v."""
    g = pianola.Graph(on or machine())
    u = g.add_buffer("u", (1024, 1024), page=page)
    v = g.add_buffer("v", (512, 1024))
    g.add_kernel("start", 1, (1024, 1024), [pianola.overwrites(u)], candidates=candidates)
    g.add_kernel("blur", 2, (512, 1024), [pianola.reads(u, ((0, 0), (512, 1024))), pianola.overwrites(v)],
                 candidates=candidates)
    g.add(pianola.CommandKind.host_task, "sum", requirements=[pianola.reads(v)])
    return g
