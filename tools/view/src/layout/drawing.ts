// SPDX-License-Identifier: Apache-2.0
import { type Layout, layeredLayout, topological } from "./layered";
import { keptEdges } from "./reduce";

// A graph as it is drawn: without the edges that others imply.
export interface Drawing extends Layout {
  from: Uint32Array;
  to: Uint32Array;
}

export function draw(nodes: number, from: Uint32Array, to: Uint32Array): Drawing {
  const kept = keptEdges(nodes, from, to, topological(nodes, from, to));
  const keep = (ends: Uint32Array): Uint32Array => ends.filter((_, e) => kept[e] === 1);
  const drawn = { from: keep(from), to: keep(to) };
  return { ...layeredLayout(nodes, drawn.from, drawn.to), ...drawn };
}
