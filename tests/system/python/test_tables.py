# SPDX-License-Identifier: Apache-2.0
import io
import unittest

import example
import pianola
from matplotlib import pyplot


class Tables(unittest.TestCase):
    def setUp(self):
        self.plan = pianola.make_plan(example.graph())
        self.simulation = self.plan.simulate()

    def test_have_a_row_for_each_command(self):
        t = pianola.command_table(self.plan, self.simulation)
        self.assertEqual(list(t["name"]), ["start", "blur", "sum"])
        self.assertEqual(list(t["device"]), ["device 1", "device 2", "processor"])
        self.assertAlmostEqual(t["end"].max(), self.simulation.makespan)
        self.assertTrue(t.loc[0, "critical"])

    def test_have_a_row_for_each_transfer(self):
        t = pianola.transfer_table(self.plan)
        half = 512 * 1024 * 4
        self.assertEqual(list(t["bytes"]), [half] * 3)
        self.assertEqual(list(zip(t["source"], t["target"])), [("left", "host"), ("host", "right"), ("right", "host")])
        links = pianola.link_table(self.plan, self.simulation)
        self.assertEqual(links["bytes"].sum(), t["bytes"].sum())

    def test_ask_for_each_list_once(self):
        class Counting:
            """Stands for a simulation; counts what is asked of it."""

            def __init__(self, of):
                self.of, self.asked = of, []

            def __getattr__(self, name):
                self.asked.append(name)
                return getattr(self.of, name)

        for table in (pianola.command_table, pianola.transfer_table, pianola.plot_lanes):
            counting = Counting(self.simulation)
            table(self.plan, counting)
            self.assertEqual(counting.asked.count("steps"), 1, table.__name__)
        pyplot.close("all")

    def test_of_a_plan_without_transfers_are_empty(self):
        g = pianola.Graph(example.machine())
        g.add_buffer("u", 16)
        g.add_kernel("only", 1, 16, [pianola.overwrites(0)])
        self.assertEqual(len(pianola.transfer_table(pianola.make_plan(g))), 0)


class Plots(unittest.TestCase):
    def tearDown(self):
        pyplot.close("all")

    def test_draw_a_bar_for_each_step(self):
        plan = pianola.make_plan(example.graph())
        simulation = plan.simulate()
        axes = pianola.plot_lanes(plan, simulation)
        self.assertEqual(len(axes.patches), len(plan))
        self.assertEqual([round(p.get_x(), 12) for p in axes.patches], [round(s.start, 12) for s in simulation.steps])
        self.assertEqual(len(axes.get_yticks()), len({s.lane for s in plan.steps}))
        axes.figure.savefig(io.BytesIO())

    def test_draw_a_bar_for_each_link_where_they_are_asked_to(self):
        plan = pianola.make_plan(example.graph())
        _, mine = pyplot.subplots()
        self.assertIs(pianola.plot_links(plan, axes=mine), mine)
        self.assertEqual([p.get_width() for p in mine.patches], [u.bytes for u in plan.simulate().links])


if __name__ == "__main__":
    unittest.main()
