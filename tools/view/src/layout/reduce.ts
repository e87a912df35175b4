// SPDX-License-Identifier: Apache-2.0
// Which edges others imply: a picture of a graph is easier to read without them.

// So many nodes are looked at for the edges into one node, and more where there are many edges: what waits for everything
// has an edge from everything.
const EFFORT = 400;
const EFFORT_OF_EDGE = 16;

// 1 for each edge to be drawn, 0 for one that a longer way implies. `order`: the nodes, each after its predecessors. An
// edge may be kept that could be left out (where looking for the longer way would take too long), never the other way
// round. Takes time in proportion to nodes and edges.
export function keptEdges(nodes: number, from: Uint32Array, to: Uint32Array, order: Uint32Array): Uint8Array {
  const kept = new Uint8Array(from.length).fill(1);
  const rank = new Uint32Array(nodes);
  order.forEach((n, i) => (rank[n] = i));
  const first = new Uint32Array(nodes + 1);
  for (const t of to) ++first[t + 1];
  for (let n = 0; n < nodes; ++n) first[n + 1] += first[n];
  const next = first.slice();
  const into = new Uint32Array(from.length); // edges, by the node they lead to
  for (let e = 0; e < from.length; ++e) into[next[to[e]]++] = e;
  const seen = new Uint32Array(nodes); // 1 + the node for which it was seen last
  const stack: number[] = [];
  for (const node of order) {
    const begin = first[node];
    const end = first[node + 1];
    if (end - begin < 2) continue;
    let lowest = Infinity;
    for (let i = begin; i < end; ++i) lowest = Math.min(lowest, rank[from[into[i]]]);
    // Everything before the predecessors, by edges that are kept.
    stack.length = 0;
    let effort = EFFORT + EFFORT_OF_EDGE * (end - begin);
    const visit = (n: number): void => {
      for (let i = first[n]; i < first[n + 1]; ++i) {
        const before = from[into[i]];
        if (kept[into[i]] === 0 || seen[before] === node + 1 || rank[before] < lowest) continue;
        seen[before] = node + 1;
        stack.push(before);
      }
    };
    for (let i = begin; i < end; ++i) visit(from[into[i]]);
    while (stack.length > 0 && --effort > 0) visit(stack.pop()!);
    for (let i = begin; i < end; ++i) if (seen[from[into[i]]] === node + 1) kept[into[i]] = 0;
  }
  return kept;
}
