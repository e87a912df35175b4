// SPDX-License-Identifier: Apache-2.0
// Half-open boxes in three dimensions, as the model has them.

export interface Box {
  lo: [number, number, number];
  hi: [number, number, number];
}

const axes = [0, 1, 2] as const;

export const isEmpty = (b: Box): boolean => axes.some((d) => b.lo[d] >= b.hi[d]);

export const count = (b: Box): number =>
  isEmpty(b) ? 0 : axes.reduce<number>((n, d) => n * (b.hi[d] - b.lo[d]), 1);

export function intersection(a: Box, b: Box): Box {
  const lo = axes.map((d) => Math.max(a.lo[d], b.lo[d])) as Box["lo"];
  const hi = axes.map((d) => Math.min(a.hi[d], b.hi[d])) as Box["hi"];
  return { lo, hi };
}

export const overlaps = (a: Box, b: Box): boolean => !isEmpty(intersection(a, b));

// At most six disjoint boxes that together are a without b.
export function difference(a: Box, b: Box): Box[] {
  const common = intersection(a, b);
  if (isEmpty(common)) return isEmpty(a) ? [] : [a];
  const pieces: Box[] = [];
  const rest: Box = { lo: [...a.lo], hi: [...a.hi] };
  for (const d of axes) {
    if (rest.lo[d] < common.lo[d]) {
      const piece: Box = { lo: [...rest.lo], hi: [...rest.hi] };
      piece.hi[d] = common.lo[d];
      pieces.push(piece);
      rest.lo[d] = common.lo[d];
    }
    if (common.hi[d] < rest.hi[d]) {
      const piece: Box = { lo: [...rest.lo], hi: [...rest.hi] };
      piece.lo[d] = common.hi[d];
      pieces.push(piece);
      rest.hi[d] = common.hi[d];
    }
  }
  return pieces;
}

// What is left of an area, a list of disjoint boxes, without b.
export const without = (area: Box[], b: Box): Box[] => area.flatMap((a) => difference(a, b));

// Every page that the elements touch, in coordinates of pages.
export function pagesOf(elements: Box, page: number[]): Box {
  if (isEmpty(elements)) return { lo: [0, 0, 0], hi: [0, 0, 0] };
  return {
    lo: axes.map((d) => Math.floor(elements.lo[d] / page[d])) as Box["lo"],
    hi: axes.map((d) => Math.ceil(elements.hi[d] / page[d])) as Box["hi"],
  };
}
