// SPDX-License-Identifier: Apache-2.0

// Numbers from 0 to 1 that are the same for the same seed (mulberry32).
export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export interface Graph {
  nodes: number;
  from: Uint32Array;
  to: Uint32Array;
}

// Edges lead from nodes to others that come later in an order that is not that of their numbers.
export function randomGraph(seed: number, nodes: number, edges: number): Graph {
  const next = random(seed);
  const order = Array.from({ length: nodes }, (_, i) => i).sort(() => next() - 0.5);
  const pairs = new Set<string>();
  for (let e = 0; e < edges; ++e) {
    const a = Math.floor(next() * nodes);
    const b = Math.min(nodes - 1, a + 1 + Math.floor(next() * next() * nodes));
    if (a < b) pairs.add(`${order[a]} ${order[b]}`);
  }
  const list = [...pairs].map((p) => p.split(" ").map(Number));
  return { nodes, from: Uint32Array.from(list, (p) => p[0]), to: Uint32Array.from(list, (p) => p[1]) };
}
