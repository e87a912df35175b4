# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import example
import pianola
from pianola import Objective, Placement


def tool(*arguments):
    return subprocess.run([os.environ["PIANOLA_TOOL"], *arguments], check=True, capture_output=True, text=True).stdout


class Plans(unittest.TestCase):
    def test_move_what_is_needed_elsewhere(self):
        p = pianola.make_plan(example.graph())
        moved = [(s.transfer.buffer, s.transfer.source, s.transfer.target, s.transfer.bytes) for s in p.steps if s.transfer]
        half = 512 * 1024 * 4
        self.assertEqual(moved, [(0, 1, 0, half), (0, 0, 2, half), (1, 2, 0, half)])
        self.assertEqual([s.command for s in p.steps if s.command is not None], [0, 1, 2])
        self.assertIsNone(p.verify())

    def test_take_what_the_links_say(self):
        fast, slow = (pianola.make_plan(example.graph(example.machine(bandwidth=b))) for b in (1e10, 1e9))
        half = 512 * 1024 * 4
        longer = slow.simulate().makespan - fast.simulate().makespan
        self.assertAlmostEqual(longer, 3 * half * (1e-9 - 1e-10), delta=1e-9)
        s = fast.simulate()
        self.assertEqual(s.peak_memory, [2 * 2 * half - half, 2 * half, 3 * half])
        self.assertEqual({(u.source, u.target): u.bytes for u in s.links}, {(0, 1): 0, (1, 0): half, (0, 2): half, (2, 0): half})
        self.assertEqual(len(s.steps), len(fast))
        self.assertEqual(s.steps[s.critical_path[-1]].end, s.makespan)

    def test_place_commands_where_it_costs_less(self):
        g = example.graph(candidates=[0, 1, 2])
        stay = pianola.make_plan(g)
        free = pianola.make_plan(g, placement=Placement.anywhere, objective=Objective.bytes)
        moved = [sum(s.transfer.bytes for s in p.steps if s.transfer) for p in (stay, free)]
        self.assertEqual(moved[1], 0)
        self.assertGreater(moved[0], 0)
        self.assertIsNone(free.verify())

    def test_keep_to_a_budget(self):
        with self.assertRaisesRegex(pianola.Error, "u"):
            pianola.make_plan(example.graph(), memory_budget=1 << 20)

    def test_are_made_for_other_machines(self):
        g, slow = example.graph(), example.machine(bandwidth=1e9)
        self.assertGreater(pianola.make_plan(g, slow).simulate().makespan, pianola.make_plan(g).simulate().makespan)
        self.assertEqual(pianola.make_plan(g, slow).machine.links[0].bandwidth, 1e9)

    def test_that_are_wrong_are_told_and_not_simulated(self):
        g = example.graph()
        right = json.loads(pianola.make_plan(g).to_json())
        for step in right["steps"]:
            step["waits"] = []
        wrong = pianola.Plan.read(json.dumps(right), g)
        self.assertIsNotNone(wrong.verify())
        with self.assertRaisesRegex(pianola.Error, "the plan is not right: "):
            wrong.simulate()

    def test_tell_why_a_transfer_is_made(self):
        p = pianola.make_plan(example.graph(page=()))
        step = next(s.id for s in p.steps if s.transfer)
        e = p.explain_transfer(step)
        self.assertIn("start", str(e))
        self.assertEqual(json.loads(e.json)["format"], "pianola.explanation/1")
        self.assertTrue(e.suggestions)
        self.assertTrue(all(s.bytes_after < s.bytes_before or s.seconds_after < s.seconds_before for s in e.suggestions))
        self.assertIn("waits", p.explain_command(1).text)
        self.assertIn("read u", p.explain_edge(0, 1).text)
        with self.assertRaises(pianola.Error):
            p.explain_transfer(next(s.id for s in p.steps if s.transfer is None))


class BesideTheTool(unittest.TestCase):
    """The same graph through the program `pianola`, file by file."""

    def graphs(self, folder):
        for file in pathlib.Path(os.environ["PIANOLA_GOLDEN"]).glob("*.graph.json"):
            yield str(file)
        example.graph(candidates=[1, 2]).save(os.path.join(folder, "example.graph.json"))
        yield os.path.join(folder, "example.graph.json")

    def test_gives_the_same_bytes(self):
        compared = 0
        with tempfile.TemporaryDirectory() as folder:
            machine = os.path.join(folder, "machine.json")
            for graph in self.graphs(folder):
                with self.subTest(graph=graph):
                    g = pianola.Graph.load(graph)
                    g.machine.save(machine)
                    for placement in ("as_submitted", "anywhere"):
                        path = os.path.join(folder, "plan.json")
                        try:
                            p = pianola.make_plan(g, placement=getattr(Placement, placement))
                        except pianola.Error as e:
                            failed = subprocess.run([os.environ["PIANOLA_TOOL"], "plan", graph], capture_output=True, text=True)
                            self.assertIn(str(e), failed.stderr)
                            continue
                        tool("plan", graph, "--place", placement, "-o", path)
                        self.assertEqual(p.to_json(), pathlib.Path(path).read_text())
                        self.assertEqual(pianola.Plan.load(path, g).to_json(), p.to_json())
                        self.assertEqual(p.simulation_json(), tool("simulate", graph, path, "--json"))
                        self.assertEqual(p.trace_json(), tool("simulate", graph, path, "--trace"))
                        for step in [s.id for s in p.steps if s.transfer][:2]:
                            self.assertEqual(p.explain_transfer(step).json,
                                             tool("explain", graph, path, "--transfer", str(step), "--json"))
                        compared += 1
        self.assertGreaterEqual(compared, 4)


class WithoutPackages(unittest.TestCase):
    def test_planning_needs_neither_pandas_nor_matplotlib(self):
        code = ("import sys; sys.modules.update(pandas=None, matplotlib=None, numpy=None); import example, pianola; "
                "print(pianola.make_plan(example.graph()).simulate().makespan)")
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=os.path.dirname(__file__))


if __name__ == "__main__":
    unittest.main()
