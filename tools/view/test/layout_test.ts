// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { draw } from "../src/layout/drawing";
import { layeredLayout, NODE_HEIGHT, NODE_WIDTH, topological } from "../src/layout/layered";
import { keptEdges } from "../src/layout/reduce";
import { type Graph, random, randomGraph } from "./random";

const ordered = (g: Graph): Uint32Array => topological(g.nodes, g.from, g.to);

// By looking at every pair of nodes.
function reachable(g: Graph, edges: (e: number) => boolean): boolean[][] {
  const reach = Array.from({ length: g.nodes }, () => new Array<boolean>(g.nodes).fill(false));
  for (const n of [...ordered(g)].reverse())
    g.from.forEach((f, e) => {
      if (f !== n || !edges(e)) return;
      reach[n][g.to[e]] = true;
      for (let m = 0; m < g.nodes; ++m) if (reach[g.to[e]][m]) reach[n][m] = true;
    });
  return reach;
}

test("edges that are left out are implied by those that are kept, and none that is kept is", () => {
  for (let seed = 1; seed <= 60; ++seed) {
    const g = randomGraph(seed, 40, 120);
    const kept = keptEdges(g.nodes, g.from, g.to, ordered(g));
    const all = reachable(g, () => true);
    const fewer = reachable(g, (e) => kept[e] === 1);
    assert.deepEqual(fewer, all, `seed ${seed}: what comes before what`);
    g.from.forEach((f, e) => {
      const longer = Array.from({ length: g.nodes }, (_, m) => m).some((m) => all[f][m] && all[m][g.to[e]]);
      assert.equal(kept[e], longer ? 0 : 1, `seed ${seed}: edge ${f} -> ${g.to[e]}`);
    });
  }
});

test("what waits for every command of a long chain is drawn after the last one", () => {
  const n = 5000;
  const chain = Array.from({ length: n - 1 }, (_, i) => i);
  const from = Uint32Array.from([...chain, ...chain]);
  const to = Uint32Array.from([...chain.map((i) => i + 1), ...chain.map(() => n)]);
  const drawing = draw(n + 1, from, to);
  assert.equal(drawing.from.length, n);
});

test("no two nodes overlap, every node lies within the drawing, and edges lead to later layers", () => {
  for (let seed = 1; seed <= 40; ++seed) {
    const g = randomGraph(seed, 2 + Math.floor(random(seed)() * 150), 300);
    const l = layeredLayout(g.nodes, g.from, g.to);
    for (let a = 0; a < g.nodes; ++a) {
      assert.ok(l.x[a] >= NODE_WIDTH / 2 - 0.1 && l.x[a] <= l.width - NODE_WIDTH / 2 + 0.1, `seed ${seed}: x of ${a}`);
      assert.ok(l.y[a] >= NODE_HEIGHT / 2 && l.y[a] <= l.height - NODE_HEIGHT / 2, `seed ${seed}: y of ${a}`);
      for (let b = 0; b < a; ++b)
        assert.ok(
          Math.abs(l.x[a] - l.x[b]) >= NODE_WIDTH - 0.5 || Math.abs(l.y[a] - l.y[b]) >= NODE_HEIGHT,
          `seed ${seed}: ${a} and ${b} overlap`,
        );
    }
    g.from.forEach((f, e) => assert.ok(l.layer[f] < l.layer[g.to[e]], `seed ${seed}: edge ${e}`));
  }
});

test("two chains side by side stand straight", () => {
  const from = Uint32Array.of(0, 1, 2, 4, 5, 6);
  const to = Uint32Array.of(1, 2, 3, 5, 6, 7);
  const l = layeredLayout(8, from, to);
  for (const n of [1, 2, 3]) assert.ok(Math.abs(l.x[n] - l.x[0]) < 1);
  for (const n of [5, 6, 7]) assert.ok(Math.abs(l.x[n] - l.x[4]) < 1);
});

test("a long edge goes around what stands between", () => {
  // 0 -> 1 -> 2 -> 3, and 0 -> 4 -> 3: the second has room beside the first, and points where it has no node.
  const l = layeredLayout(5, Uint32Array.of(0, 1, 2, 0, 4), Uint32Array.of(1, 2, 3, 4, 3));
  assert.equal(l.firstPoint[5] - l.firstPoint[4], 1);
  const point = l.points[2 * l.firstPoint[4]];
  assert.ok(Math.abs(point - l.x[2]) > NODE_WIDTH / 2, "beside node 2");
});

test("a chain of thousands continues in columns, and a layer of thousands in rows", () => {
  const n = 4000;
  const chain = layeredLayout(n, Uint32Array.from({ length: n - 1 }, (_, i) => i), Uint32Array.from({ length: n - 1 }, (_, i) => i + 1));
  assert.ok(chain.height < 6 * chain.width && chain.width < 6 * chain.height, `${chain.width} x ${chain.height}`);
  const flat = layeredLayout(n, new Uint32Array(), new Uint32Array());
  assert.ok(flat.height < 6 * flat.width && flat.width < 6 * flat.height, `${flat.width} x ${flat.height}`);
});

test("nothing at all has a drawing", () => {
  assert.equal(draw(0, new Uint32Array(), new Uint32Array()).x.length, 0);
  assert.equal(draw(1, new Uint32Array(), new Uint32Array()).x.length, 1);
});
