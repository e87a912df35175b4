// SPDX-License-Identifier: Apache-2.0
// make_graphs.mjs STEPS TILES DEVICES FOLDER: the stencil of make_graph.mjs as graph.json, and what is hard about others of its
// size. edges.json: each command reads two or three of the next tiles more; spread.json: two or three anywhere;
// usm.json: each command does to USM what it does to buffers; chain.json: each
// command after the one before it; shuffled.json: the commands of each step in another order; different.json: each 97th is missing, each 53rd another kernel.
import { writeFileSync } from "node:fs";

import { stencilGraph } from "../system/view/make_graph.mjs";

const [steps, tiles, devices] = process.argv.slice(2, 5).map(Number);
const folder = process.argv[5];

// The same numbers in each run.
let seed = 1;
function below(n) {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % n;
}

function renumbered(graph, commands) {
  commands.forEach((c, id) => (c.id = id));
  return { ...graph, commands };
}

// `tile(own, k)`: the k-th tile that a command reads besides those around its own.
function withEdges(graph, tile) {
  const page = graph.buffers[0].page[2];
  graph.commands.filter((c) => c.requirements.length === 2 && c.label !== "reduce residual").forEach((c, i) => {
    const [read, own] = c.requirements;
    for (let k = 2 + (i % 2); k > 0; --k) {
      const at = tile(own.pages.lo[2], k);
      c.requirements.push({
        ...read, elements: { lo: [0, 0, at * page], hi: [1, 1, (at + 1) * page] },
        pages: { lo: [0, 0, at], hi: [1, 1, at + 1] },
      });
    }
  });
  return graph;
}

function shuffled(graph) {
  const all = graph.commands;
  for (let first = 0, last = 0; first < all.length; first = last) {
    while (last < all.length && all[last].label === all[first].label) ++last;
    for (let i = last - 1; i > first; --i) {
      const other = first + below(i - first + 1);
      [all[i], all[other]] = [all[other], all[i]];
    }
  }
  return renumbered(graph, all);
}

function different(graph) {
  const kept = graph.commands.filter((_, i) => i % 97 !== 96);
  kept.filter((_, i) => i % 53 === 52).forEach((c) => Object.assign(c, { label: "another", kernel: { ...c.kernel, id: "0x00000000000000ff" } }));
  return renumbered(graph, kept);
}

// The order is that of the buffers, so that nothing is wrong.
function withUsm(graph) {
  const { commands, ...rest } = graph;
  const bytes = (b) => b.range[2] * b.element_size;
  for (const c of commands) {
    c.allocations = [...new Set(c.requirements.map((r) => r.buffer))];
    c.usm = c.requirements.map((r) => {
      const element = graph.buffers[r.buffer].element_size;
      return { allocation: r.buffer, bytes: [r.elements.lo[2] * element, r.elements.hi[2] * element], mode: r.mode, exact: true };
    });
  }
  const allocations = graph.buffers.map((b, id) => ({ id, kind: "device", memory: 1, bytes: bytes(b), allocated: 0 }));
  return { ...rest, allocations, commands };
}

// As of one queue in order.
function chained(graph) {
  graph.commands.forEach((c, i) => (c.after = i === 0 ? [] : [i - 1]));
  return graph;
}

const stencil = () => stencilGraph(steps, tiles, devices);
const write = (name, graph) => writeFileSync(`${folder}/${name}.json`, JSON.stringify(graph));
write("graph", stencil());
write("edges", withEdges(stencil(), (own, k) => (own + 1 + k) % tiles));
write("spread", withEdges(stencil(), () => below(tiles)));
write("shuffled", shuffled(stencil()));
write("usm", withUsm(stencil()));
write("chain", chained(stencil()));
write("different", different(stencil()));
