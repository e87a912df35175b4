// SPDX-License-Identifier: Apache-2.0
// Where the pages of a buffer are, memory by memory, over time: what the page map draws.
import { type Box, pagesOf } from "./box";
import type { Model } from "./model";
import { NO_INIT, READS, WRITES } from "./requirement";
import { usesOfBuffers } from "./transfers";

export type State = "valid" | "arriving" | "written" | "read";

export interface Span {
  first: number; // rows of the map, half-open
  last: number;
  start: number; // seconds
  end: number;
  state: State;
  step: number; // that does it; -1: nobody, the data lies there
}

export interface PageMap {
  rows: number;
  pages: number; // of the buffer; with more pages than rows a row stands for several
  memories: { memory: number; spans: Span[] }[]; // those that the buffer is in at some time
}

export const MOST_ROWS = 256;
const MOST_LINES = 4096;

export function pageMap(model: Model, buffer: number, mostRows = MOST_ROWS): PageMap {
  const { content } = model;
  const info = content.buffers[buffer];
  const grid = info.range.map((r, d) => Math.ceil(r / info.page[d]));
  const pages = Math.max(1, grid[0] * grid[1] * grid[2]);
  const rows = Math.min(pages, mostRows);
  const ranges = (elements: Box): [number, number][] => rowRanges(pagesOf(elements, info.page), grid, pages, rows);
  const valid = content.memories.map(() => new Float64Array(rows).fill(-1)); // since when; -1: not
  const spans: Span[][] = content.memories.map(() => []);

  const close = (memory: number, row: number, end: number): void => {
    const start = valid[memory][row];
    valid[memory][row] = -1;
    if (start >= 0 && end > start) addRow(spans[memory], { first: row, last: row + 1, start, end, state: "valid", step: -1 });
  };
  for (const entry of content.contract)
    if (entry.buffer === buffer)
      for (const memory of entry.memories)
        for (const [first, last] of ranges(model.box(entry.box))) valid[memory].fill(0, first, last);
  for (const use of usesOfBuffers(model, buffer)[buffer]) {
    const start = model.start[use.step];
    const end = model.end[use.step];
    const writes = use.source < 0 && (use.mode & WRITES) !== 0;
    const state: State = use.source >= 0 ? "arriving" : writes ? "written" : "read";
    for (const [first, last] of ranges(use.elements)) {
      spans[use.memory].push({ first, last, start, end, state, step: use.step });
      for (let row = first; row < last; ++row) {
        if (writes) for (let m = 0; m < valid.length; ++m) close(m, row, start);
        if (use.source >= 0 || writes) {
          if (valid[use.memory][row] < 0) valid[use.memory][row] = end;
        } else if ((use.mode & (READS | NO_INIT)) === READS && valid[use.memory][row] < 0) {
          valid[use.memory][row] = start; // never written: valid wherever it is read
        }
      }
    }
  }
  const memories = [];
  for (let m = 0; m < valid.length; ++m) {
    for (let row = 0; row < rows; ++row) close(m, row, content.steps.makespan);
    const here = withinSlots(model, buffer, m, spans[m]);
    if (here.length > 0) memories.push({ memory: m, spans: here });
  }
  return { rows, pages, memories };
}

// Rows of the map that a box of pages lies in, ascending and disjoint. Pages are numbered along the last coordinate first.
function rowRanges(box: Box, grid: number[], pages: number, rows: number): [number, number][] {
  const list: [number, number][] = [];
  const [planes, lines] = [box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]];
  // Of very many lines of pages one covering range is shown: files may have buffers of any size.
  if (planes * lines > MOST_LINES) {
    const at = (i: number, j: number, k: number): number => ((i * grid[1] + j) * grid[2] + k) * (rows / pages);
    const first = Math.floor(at(box.lo[0], box.lo[1], box.lo[2]));
    return [[first, Math.min(rows, Math.max(first + 1, Math.ceil(at(box.hi[0] - 1, box.hi[1] - 1, box.hi[2]))))]];
  }
  for (let i = box.lo[0]; i < box.hi[0]; ++i)
    for (let j = box.lo[1]; j < box.hi[1]; ++j) {
      const line = (i * grid[1] + j) * grid[2];
      const first = Math.floor(((line + box.lo[2]) * rows) / pages);
      const last = Math.max(first + 1, Math.ceil(((line + box.hi[2]) * rows) / pages));
      const before = list[list.length - 1];
      if (before && first <= before[1]) before[1] = Math.max(before[1], last);
      else list.push([first, last]);
    }
  return list;
}

// One span more, made one with that of the row before if both tell the same.
function addRow(spans: Span[], span: Span): void {
  const before = spans[spans.length - 1];
  if (before && before.state === "valid" && before.last === span.first && before.start === span.start && before.end === span.end)
    before.last = span.last;
  else spans.push(span);
}

// A buffer in slots is in a memory only while some steps use it there.
function withinSlots(model: Model, buffer: number, memory: number, spans: Span[]): Span[] {
  const slots = model.content.slots.filter((s) => s[0] === buffer && s[1] === memory);
  if (slots.length === 0) return spans;
  const cut: Span[] = [];
  for (const span of spans)
    for (const [, , first, last] of slots) {
      let from = Infinity;
      let to = 0;
      for (let s = first; s <= last; ++s) {
        from = Math.min(from, model.start[s]);
        to = Math.max(to, model.end[s]);
      }
      const start = Math.max(span.start, from);
      const end = Math.min(span.end, to);
      if (end > start || (start === end && span.start === span.end)) cut.push({ ...span, start, end });
    }
  return cut;
}
