// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Box, count, difference, isEmpty, overlaps, pagesOf, without } from "../src/model/box";
import { groupsOf } from "../src/model/groups";
import { Model } from "../src/model/model";
import { label } from "../src/model/names";
import { boxText, reason, sentences } from "../src/model/reasons";
import { search } from "../src/model/search";
import { bytes, seconds } from "../src/model/units";
import { fromFragment, toFragment } from "../src/page/fragment";
import { actionOf, table } from "../src/page/keys";
import { Session } from "../src/page/session";
import { tickText } from "../src/views/time_axis_text";
import { random } from "./random";
import { stencil } from "./sample";

const model = (): Model => new Model(stencil(20, 6, 2));

test("what is left of a box without another one is disjoint and whole", () => {
  const next = random(7);
  const box = (): Box => {
    const lo = [0, 0, 0].map(() => Math.floor(next() * 5)) as Box["lo"];
    return { lo, hi: lo.map((l) => l + Math.floor(next() * 4)) as Box["hi"] };
  };
  for (let i = 0; i < 2000; ++i) {
    const a = box();
    const b = box();
    const rest = difference(a, b);
    const inside = (p: number[], c: Box): boolean => p.every((v, d) => v >= c.lo[d] && v < c.hi[d]);
    for (let x = 0; x < 9; ++x)
      for (let y = 0; y < 9; ++y)
        for (let z = 0; z < 9; ++z) {
          const p = [x, y, z];
          const times = rest.filter((r) => inside(p, r)).length;
          assert.equal(times, inside(p, a) && !inside(p, b) ? 1 : 0, JSON.stringify([a, b, p]));
        }
    assert.ok(rest.every((r) => !isEmpty(r)));
  }
  assert.deepEqual(without([{ lo: [0, 0, 0], hi: [1, 1, 4] }], { lo: [0, 0, 0], hi: [1, 1, 4] }), []);
});

test("pages are those that elements touch", () => {
  assert.deepEqual(pagesOf({ lo: [0, 0, 3], hi: [1, 1, 9] }, [1, 1, 4]), { lo: [0, 0, 0], hi: [1, 1, 3] });
  assert.equal(count(pagesOf({ lo: [0, 0, 3], hi: [1, 1, 3] }, [1, 1, 4])), 0);
});

test("transfers come after what made their data and before what uses it", () => {
  const m = model();
  let transfers = 0;
  for (let n = m.commandCount; n < m.nodeCount; ++n) {
    ++transfers;
    const step = m.stepOfNode[n];
    const box = m.transferBox(step);
    const buffer = m.content.steps.buffer[step] - 1;
    // The last command before it that wrote these elements, by looking at all of them.
    let writer = -1;
    for (let s = 0; s < step; ++s) {
      const node = m.nodeOfStep[s];
      if (!m.isTransfer(node) && m.requirements(node).some((r) => r.buffer === buffer && (r.mode & 2) !== 0 && overlaps(r.elements, box))) writer = node;
    }
    assert.deepEqual([...m.predecessors(n)], [writer], `transfer ${step}`);
    const users = [...m.successors(n)];
    assert.ok(users.length > 0, `transfer ${step} is for somebody`);
    for (const u of users) {
      assert.equal(m.memoryOf(m.deviceOf[u]), m.content.steps.to[step] - 1);
      assert.ok(m.requirements(u).some((r) => r.buffer === buffer && (r.mode & 1) !== 0 && overlaps(r.elements, box)));
    }
  }
  assert.ok(transfers > 30);
});

test("an edge is explained by the pages that both touch", () => {
  const m = model();
  const blur = m.commandCount - 1;
  for (const p of m.predecessors(blur)) {
    if (m.isTransfer(p)) continue;
    assert.ok(reason(m, p, blur).conflicts.length > 0);
    assert.match(sentences(m, p, blur)[0], /^first (writes|reads), then (reads|writes) pages [uv] \[\d,\d\)/);
  }
  assert.equal(boxText({ lo: [0, 1, 2], hi: [1, 3, 4] }, 2), "[1,3)\u00d7[2,4)");
});

test("an edge by a page alone is told apart from one by elements", () => {
  const c = stencil(1, 2, 1);
  c.buffers[0].page = [1, 1, 4096]; // both tiles are on one page
  const m = new Model(c);
  assert.match(sentences(m, 0, 1)[0], /no element twice: smaller pages would not order them/);
});

test("search knows names, numbers, kinds, buffers, devices and memories", () => {
  const m = model();
  const found = (text: string): string[] => [...search(m, text)].map((n) => m.idOf(n));
  assert.equal(found("").length, 0);
  assert.deepEqual(found("#3"), ["c3"]);
  assert.equal(found("BLUR").length, 60);
  assert.equal(found("blur device:1").length, 30);
  assert.ok(found("kind:transfer").every((id) => id[0] === "s"));
  assert.ok(found("kind:transfer buffer:v memory:gpu1").length > 0);
  assert.deepEqual(found("buffer:residual"), found("reduce"));
  assert.deepEqual(found("nowhere"), []);
  assert.deepEqual(found("[.*("), []);
});

test("a card has the function and the line of a kernel, or the label that the program gave", () => {
  const expected = {
    "cg::solver::submit_dot::lambda::operator()::lambda at solver.hpp:97": "submit_dot :97",
    "cg::solver::submit_dot(sycl::queue&)::'lambda'(sycl::handler&)::operator()(sycl::handler&) const::'lambda'(sycl::id<1>) (lambda at solver.hpp:97:22)": "submit_dot :97",
    "void math::scale<std::vector<float>>": "scale<std::vector<float>>",
    "(lambda at blur.cpp:12:7)": "blur.cpp:12",
    "main::lambda at main.cpp:12": "main :12",
    "lambda at main.cpp:3": "main.cpp:3",
    "blur left at last": "blur left at last",
    "a::": "a",
    "::": "::",
    "": "",
    "lambda": "lambda",
  };
  for (const [name, short] of Object.entries(expected)) assert.equal(label(name), short, name);
});

test("the kernels of one name are a group, and so is every other kind", () => {
  const m = model();
  const groups = groupsOf(m);
  assert.deepEqual(groups.list.map((g) => g.name), ["blur", "sharpen", "fill_with_noise", "reduce_residual", "transfer"]);
  for (let n = 0; n < m.nodeCount; ++n) assert.equal(groups.list[groups.of[n]].name, m.isTransfer(n) ? "transfer" : m.shortName(n));
});

test("a link holds all that is chosen", async () => {
  const m = model();
  const one = new Session(m);
  one.view = "data";
  one.buffer = 1;
  one.node = m.commandCount;
  one.hidden = new Set([1, 4]);
  one.device = 1;
  one.critical = true;
  one.setQuery("a & b#=?");
  const link = toFragment(one, { data: [0.25, 0.5] });
  const two = new Session(m);
  assert.deepEqual(fromFragment(`#${link}`, two), [0.25, 0.5]);
  for (const key of ["view", "buffer", "node", "hidden", "device", "critical", "query"] as const) assert.deepEqual(two[key], one[key], key);
  assert.equal(toFragment(two, { data: [0.25, 0.5] }), link);
});

test("a link that makes no sense shows the graph", () => {
  const m = model();
  for (const link of ["", "#", "#node=c-1&buffer=9&device=x&at=1,b", "#edge=c1&view=3", "#node=s99999", "#%%%"]) {
    const s = new Session(m);
    fromFragment(link, s);
    assert.deepEqual([s.view, s.node, s.edge, s.buffer, s.device], ["graph", undefined, undefined, undefined, undefined], link);
  }
});

test("filters hide together", async () => {
  const m = model();
  const s = new Session(m);
  s.setQuery("blur");
  s.device = 0;
  s.changed();
  await Promise.resolve();
  for (let n = 0; n < m.nodeCount; ++n) assert.equal(s.shows(n), m.fullName(n).includes("blur") && m.deviceOf[n] === 0, String(n));
});

test("every key does one thing", () => {
  const all = Object.values(table).flatMap((k) => k.keys);
  assert.equal(new Set(all).size, all.length);
  for (const [name, key] of Object.entries(table)) assert.equal(actionOf(key.keys[0]), name);
});

test("figures are short", () => {
  assert.deepEqual([0, 1.5e-9, 999.6e-9, 0.0123, 2, 250].map(seconds), ["0 s", "1.50 ns", "1.00 \u00b5s", "12.3 ms", "2.00 s", "250 s"]);
  assert.deepEqual([0, 12, 1536, 1 << 20, 5.5 * 2 ** 30].map(bytes), ["0 B", "12 B", "1.5 KiB", "1 MiB", "5.5 GiB"]);
  assert.deepEqual([tickText(0.0015, 0.0005, 0.002), tickText(1e-6, 2e-8, 1.1e-6)], ["1.5 ms", "1.00 \u00b5s"]);
});
