# SPDX-License-Identifier: Apache-2.0
import ast
import inspect
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import example
import pianola
from pianola import Access, CommandKind, FindingKind, Requirement, UsmRange


class Graphs(unittest.TestCase):
    def test_tells_what_was_put_in(self):
        g = example.graph()
        self.assertEqual(len(g), 3)
        self.assertEqual([b.name for b in g.buffers], ["u", "v"])
        self.assertEqual(g.buffers[0].range, (1024, 1024))
        self.assertEqual(g.buffers[0].page, (64, 1024))
        self.assertEqual(g.buffers[1].page, ())
        start, blur, total = g.commands
        self.assertEqual((start.kind, start.name, start.device, start.range), (CommandKind.kernel, "start", 1, (1024, 1024)))
        self.assertEqual(blur.requirements[0].elements, ((0, 0), (512, 1024)))
        self.assertEqual((blur.requirements[0].mode, blur.requirements[1].no_init), (Access.read, True))
        self.assertEqual((total.device, total.requirements[0].memory), (0, 0))
        self.assertEqual(g.edges(), [(0, 1), (1, 2)])

    def test_is_the_same_after_a_file(self):
        g = example.graph(candidates=[1, 2])
        g.add(CommandKind.fill, "zero", 1, [pianola.overwrites(0, ((4, 0), (8, 16)))], measured=2e-3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.graph.json")
            g.save(path)
            again = pianola.Graph.load(path)
        self.assertEqual(again.to_json(), g.to_json())
        self.assertEqual(again.structural_hash(), g.structural_hash())
        self.assertEqual(again.commands[3].measured, 2e-3)
        self.assertEqual(again.commands[0].candidates, [1, 2])

    def test_is_loaded_from_the_folder_of_a_run(self):
        g = example.graph()
        plan = pianola.make_plan(g)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(pianola.Error, "holds no eager.graph.json; name a file in it"):
                pianola.Graph.load(folder)
            g.save(os.path.join(folder, "eager.graph.json"))
            plan.save(os.path.join(folder, "eager.plan.json"))
            again = pianola.Graph.load(folder)
            self.assertEqual(again.to_json(), g.to_json())
            self.assertEqual(pianola.Plan.load(folder, again).to_json(), plan.to_json())
            journal = pathlib.Path(folder, "eager.journal")
            journal.touch()
            os.utime(journal, (0, 0))
            self.assertEqual(pianola.Graph.load(folder).to_json(), g.to_json())
            os.utime(journal, (2**31, 2**31))
            with self.assertRaisesRegex(pianola.Error, "eager.journal: "):
                pianola.Graph.load(folder)

    @unittest.skipUnless("PIANOLA_RECORDED_RUN_PROGRAM" in os.environ, "there is no program to record")
    def test_is_loaded_from_what_a_killed_program_leaves(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PIANOLA_RECORD=folder, PIANOLA_DEVICES="simulated:1")
            program = subprocess.Popen([os.environ["PIANOLA_RECORDED_RUN_PROGRAM"], "endless"], env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            journal = os.path.join(folder, "eager.journal")
            # Until more than the machine is there.
            while program.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > 1000):
                time.sleep(0.02)
            program.kill()
            program.wait()
            g = pianola.Graph.load(folder)
            p = pianola.Plan.load(folder, g)
            self.assertGreater(len(g), 0)
            self.assertIsNone(p.verify())
            self.assertEqual(pianola.Graph.load(journal).to_json(), g.to_json())
            # By the names of the files that it would become.
            self.assertEqual(pianola.Graph.load(os.path.join(folder, "eager.graph.json")).to_json(), g.to_json())
            self.assertIsNone(pianola.Plan.load(os.path.join(folder, "eager.plan.json"), g).verify())
            # Half of a block more is what a program may leave, too; what is before it is right.
            with open(journal, "ab") as file:
                file.write(b"\x40\0\0")
            self.assertEqual(pianola.Graph.load(folder).to_json(), g.to_json())
            subprocess.run([os.environ["PIANOLA_TOOL"], "record", "--recover", "-o", folder], check=True,
                           stderr=subprocess.DEVNULL)
            self.assertFalse(os.path.exists(journal))
            recovered = pianola.Graph.load(folder)
            self.assertEqual(recovered.to_json(), g.to_json())
            self.assertEqual(pianola.Plan.load(folder, recovered).to_json(), p.to_json())

    def test_machines_are_the_same_after_a_file(self):
        m = example.machine()
        m.set_kernel_time("blur", 2, start=1e-6, per_unit=1e-9)
        again = pianola.Machine.read(m.to_json())
        self.assertEqual(again.to_json(), m.to_json())
        self.assertEqual([d.name for d in again.devices], ["processor", "device 1", "device 2"])
        self.assertEqual(len(again.links), 4)

    def test_reads_files_of_recorded_graphs(self):
        for file in pathlib.Path(os.environ["PIANOLA_GOLDEN"]).glob("*.graph.json"):
            with self.subTest(file=file.name):
                g = pianola.Graph.load(str(file))
                self.assertEqual(g.to_json(), file.read_text())
                self.assertEqual(len(g.commands), len(g))

    def test_pages_and_bytes_become_elements(self):
        g = example.graph()
        self.assertEqual(g.elements_of_pages(0, ((1, 0), (3, 1))), ((64, 0), (192, 1024)))
        self.assertEqual(g.elements_of_bytes(0, 4096, 8192), ((1, 0), (2, 1024)))
        self.assertEqual(g.elements_of_bytes(0, 4, 9), ((0, 1), (0 + 1, 3)))

    def test_a_plan_keeps_the_graph_as_it_was(self):
        g = example.graph()
        p = pianola.make_plan(g)
        g.add_kernel("more", 1, 16, [pianola.updates(1)])
        self.assertEqual((len(p.graph), len(g)), (3, 4))
        self.assertIsNone(p.verify())
        self.assertEqual(g.commands[3].name, "more")

    def test_copies_have_two_sides_of_one_shape(self):
        g = example.graph()
        a = g.add_allocation(4096, 1)
        box = ((0, 0), (4, 256))
        c = g.add(CommandKind.copy, "out", 1, [pianola.reads(0, box)], usm=[UsmRange(a, 0, 4096, Access.write)])
        self.assertEqual([(u.allocation, u.begin, u.end, u.mode) for u in g.commands[c].usm], [(a, 0, 4096, Access.write)])
        with self.assertRaisesRegex(pianola.Error, "one shape"):
            g.add(CommandKind.copy, "out", 1, [pianola.reads(0, box)], usm=[UsmRange(a, 0, 1024, Access.write)])
        with self.assertRaisesRegex(pianola.Error, "exactly one"):
            g.add(CommandKind.copy, "out", 1, [pianola.reads(0, box), pianola.reads(1, box)])

    def test_races_are_found(self):
        g = example.graph()
        a = g.add_allocation(1024, 1)
        g.add_kernel("first", 1, 256, [], usm=[UsmRange(a, 0, 512, Access.write)])
        g.add_kernel("second", 1, 256, [], usm=[UsmRange(a, 256, 1024, Access.write)])
        found = g.check()
        self.assertEqual([(f.kind, f.first, f.second, f.begin, f.end) for f in found], [(FindingKind.race, 3, 4, 256, 512)])
        self.assertIn("first", str(found[0]))
        ordered = example.graph()
        a = ordered.add_allocation(1024, 1)
        first = ordered.add_kernel("first", 1, 256, [], usm=[UsmRange(a, 0, 512, Access.write)])
        ordered.add_kernel("second", 1, 256, [], usm=[UsmRange(a, 256, 1024, Access.write)], after=[first])
        self.assertEqual(ordered.check(), [])


class Errors(unittest.TestCase):
    def refuses(self, pattern, function):
        with self.assertRaises(pianola.Error) as caught:
            function()
        self.assertIsInstance(caught.exception, ValueError)
        self.assertRegex(str(caught.exception), pattern)
        self.assertNotIn("\n", str(caught.exception))

    def test_say_what_is_wrong_and_where(self):
        g = example.graph()
        self.refuses(r"command 3 \(x\): there is no device 9; the machine has 3", lambda: g.add_kernel("x", 9, 1, []))
        self.refuses(r"command 3 \(x\): names no device", lambda: g.add_kernel("x", None, 1, []))
        self.refuses("there is no buffer 7", lambda: g.add_kernel("x", 1, 1, [pianola.reads(7)]))
        self.refuses("has 2 dimensions", lambda: g.add_kernel("x", 1, 1, [pianola.reads(0, (0, 4))]))
        self.refuses(r"\[0,2048\).*within the range", lambda: g.add_kernel("x", 1, 1, [pianola.reads(0, ((0, 0), (2048, 1)))]))
        self.refuses("no_init is for writes", lambda: g.add_kernel("x", 1, 1, [Requirement(0, Access.read, no_init=True)]))
        self.refuses("divide the range", lambda: g.add_kernel("x", 1, 10, [], group=3))
        self.refuses("not recorded yet", lambda: g.add_kernel("x", 1, 1, [], after=[3]))
        self.refuses("only read from files", lambda: g.add(CommandKind.subgraph, device=1))
        self.refuses("page has at least 1", lambda: g.add_buffer("w", 16, page=17))
        self.refuses("range is missing", lambda: g.add_buffer("w", ()))
        self.refuses("there is no step 99", lambda: pianola.make_plan(g).explain_transfer(99) and None)
        self.assertEqual(len(g), 3)

    def test_of_machines(self):
        m = example.machine()
        m.add_memory("island", 1 << 20)
        self.refuses("machine: .*linked", lambda: pianola.Graph(m))
        self.refuses("bandwidth", lambda: pianola.Graph(example.machine(bandwidth=0)))
        two = pianola.Machine()
        two.add_device("one", 0)
        self.refuses("has 1 devices, and command 0", lambda: pianola.make_plan(example.graph(), two))

    def test_of_files(self):
        self.refuses("^graph: ", lambda: pianola.Graph.read("{}"))
        self.refuses("no-such-file", lambda: pianola.Graph.load("/no-such-file"))
        other = pianola.make_plan(example.graph(page=(1024, 1024)))
        self.refuses("^plan: /graph_hash", lambda: pianola.Plan.read(other.to_json(), example.graph()))


class TypeHints(unittest.TestCase):
    def test_name_what_there_is(self):
        stub = ast.parse(pathlib.Path(pianola.__file__).with_suffix(".pyi").read_text())
        functions = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef)}
        classes = {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}
        self.assertEqual(set(pianola.__all__), set(functions) | set(classes))
        for name, node in classes.items():
            told = set()
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    told.add(member.name)
                elif isinstance(member, ast.AnnAssign):
                    told.add(member.target.id)
                elif isinstance(member, ast.Assign):
                    told.add(member.targets[0].id)
            there = {m for m in vars(getattr(pianola, name)) if not m.startswith("_")} - {"name", "value"}
            told_here = {m for m in told if not m.startswith("_")}
            with self.subTest(type=name):
                self.assertEqual(told_here - {"name", "value"}, there)

    def test_everything_has_a_text_that_tells_of_it(self):
        for name in pianola.__all__:
            with self.subTest(name=name):
                self.assertTrue(inspect.getdoc(getattr(pianola, name)))


if __name__ == "__main__":
    unittest.main()
