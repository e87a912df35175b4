// SPDX-License-Identifier: Apache-2.0
// Why one node comes after another.
import { type Box, intersection, isEmpty, overlaps, pagesOf } from "./box";
import type { Model } from "./model";
import { WRITES } from "./requirement";

export interface Conflict {
  buffer: number;
  first: number; // modes of the two
  second: number;
  pages: Box; // that both touch
  shared: Box | undefined; // elements that both touch; undefined: none, only a page
}

export interface Reason {
  asked: boolean; // the program named the other command
  conflicts: Conflict[];
  moves: boolean; // one of the two is a transfer: it brings what the other one uses or has made
}

export function reason(model: Model, from: number, to: number): Reason {
  if (model.isTransfer(from) || model.isTransfer(to)) return { asked: false, conflicts: [], moves: true };
  const conflicts: Conflict[] = [];
  for (const a of model.requirements(from))
    for (const b of model.requirements(to)) {
      if (a.buffer !== b.buffer || ((a.mode | b.mode) & WRITES) === 0) continue;
      const { page } = model.content.buffers[a.buffer];
      const pages = intersection(pagesOf(a.elements, page), pagesOf(b.elements, page));
      if (isEmpty(pages)) continue;
      const shared = overlaps(a.elements, b.elements) ? intersection(a.elements, b.elements) : undefined;
      conflicts.push({ buffer: a.buffer, first: a.mode, second: b.mode, pages, shared });
    }
  return { asked: model.explicit(to).includes(from), conflicts, moves: false };
}

const does = (mode: number): string => (mode & WRITES ? "writes" : "reads");

// One sentence each.
export function sentences(model: Model, from: number, to: number): string[] {
  const r = reason(model, from, to);
  if (r.moves) {
    if (model.isTransfer(from) && model.isTransfer(to)) return ["the second transfer takes on what the first has brought"];
    return [model.isTransfer(from) ? "uses what this transfer has brought" : "made what this transfer moves"];
  }
  const text = r.conflicts.map((c) => {
    const where = `${model.bufferName(c.buffer)} ${boxText(c.pages, model.content.buffers[c.buffer].dimensions)}`;
    const pair = `first ${does(c.first)}, then ${does(c.second)}`;
    return c.shared
      ? `${pair} pages ${where}`
      : `${pair} pages ${where}, but no element twice: smaller pages would not order them`;
  });
  if (r.asked) text.push("the program asked for this order (an event, a queue in order, or an edge)");
  return text.length > 0 ? text : ["follows from others"];
}

export function boxText(b: Box, dimensions: number): string {
  const from = 3 - dimensions;
  return b.lo.slice(from).map((lo, d) => `[${lo},${b.hi[d + from]})`).join("\u00d7");
}
