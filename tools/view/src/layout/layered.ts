// SPDX-License-Identifier: Apache-2.0
// A layered drawing of graphs of any size: takes about a second for 50,000 nodes, where the usual libraries take hours.
//
// Layers by longest paths; long edges get points of their own in the layers between (as many as there is time for). Then
// sweeps down and up: each layer is sorted by where the neighbours are, and placed as near to them as the distances allow,
// which is a regression that "pool adjacent violators" solves exactly in linear time. A layer with very many nodes takes
// several rows; a drawing that is much higher than wide continues in columns, as a newspaper does.

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 46;
const GAP = 20; // between nodes of a row
const POINT_WIDTH = 14; // what a long edge takes of a layer
const LAYER_HEIGHT = 100;
const ROW_HEIGHT = 66; // between rows of the same layer
const COLUMN_GAP = 140;
const SHAPE = 1.7; // width by height that columns aim at
const SWEEPS = 5;

export interface Layout {
  x: Float32Array; // centre of each node
  y: Float32Array;
  layer: Uint32Array;
  width: number; // everything lies within [0, width] x [0, height]
  height: number;
  // Points of edge e on its way: pairs x, y in points[2 * firstPoint[e]] to points[2 * firstPoint[e + 1]].
  firstPoint: Uint32Array;
  points: Float32Array;
}

// The nodes, each after its predecessors; what is on a cycle (a graph of commands has none) is left out.
export function topological(nodes: number, from: Uint32Array, to: Uint32Array): Uint32Array {
  const missing = new Uint32Array(nodes);
  for (const t of to) ++missing[t];
  const after = lists(nodes, from, to);
  const order = new Uint32Array(nodes);
  let count = 0;
  for (let n = 0; n < nodes; ++n) if (missing[n] === 0) order[count++] = n;
  for (let i = 0; i < count; ++i)
    for (let k = after.first[order[i]]; k < after.first[order[i] + 1]; ++k)
      if (--missing[after.list[k]] === 0) order[count++] = after.list[k];
  return order.subarray(0, count);
}

export function layeredLayout(nodes: number, from: Uint32Array, to: Uint32Array): Layout {
  const layer = layersOf(nodes, from, to);
  const routes = pointsOf(nodes, from, to, layer);
  const all = routes.layer.length;
  const before = lists(all, routes.to, routes.from);
  const after = lists(all, routes.from, routes.to);
  const rows = members(routes.layer);
  const most = Math.max(12, Math.ceil(0.9 * Math.sqrt(nodes)));
  const parts = rows.map((row) => Math.max(1, Math.ceil(row.filter((n) => n < nodes).length / most)));
  const x = new Float32Array(all);
  rows.forEach((row, l) => place(row, spacing(row, nodes, parts[l]), x, undefined));
  for (let s = 0; s < SWEEPS; ++s) {
    const sort = s < SWEEPS - 1;
    for (let l = 1; l < rows.length; ++l) settle(rows[l], before, x, sort, spacing, nodes, parts[l]);
    for (let l = rows.length - 2; l >= 0; --l) settle(rows[l], after, x, sort, spacing, nodes, parts[l]);
  }
  const both = lists(all, concatenated(routes.to, routes.from), concatenated(routes.from, routes.to));
  for (const row of rows.keys()) settle(rows[row], both, x, false, spacing, nodes, parts[row]);
  return inColumns(nodes, rows, parts, x, layer, routes);
}

function concatenated(a: Uint32Array, b: Uint32Array): Uint32Array {
  const whole = new Uint32Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

interface Lists {
  first: Uint32Array;
  list: Uint32Array;
}

function lists(nodes: number, of: Uint32Array, to: Uint32Array): Lists {
  const first = new Uint32Array(nodes + 1);
  for (const n of of) ++first[n + 1];
  for (let n = 0; n < nodes; ++n) first[n + 1] += first[n];
  const next = first.slice();
  const list = new Uint32Array(of.length);
  for (let e = 0; e < of.length; ++e) list[next[of[e]]++] = to[e];
  return { first, list };
}

// The longest way to each node; what nothing leads to stands right above what it leads to.
function layersOf(nodes: number, from: Uint32Array, to: Uint32Array): Uint32Array {
  const layer = new Uint32Array(nodes);
  const after = lists(nodes, from, to);
  const before = lists(nodes, to, from);
  const order = topological(nodes, from, to);
  for (const n of order)
    for (let k = after.first[n]; k < after.first[n + 1]; ++k)
      layer[after.list[k]] = Math.max(layer[after.list[k]], layer[n] + 1);
  for (const n of order) {
    if (before.first[n] !== before.first[n + 1] || after.first[n] === after.first[n + 1]) continue;
    let least = Infinity;
    for (let k = after.first[n]; k < after.first[n + 1]; ++k) least = Math.min(least, layer[after.list[k]]);
    layer[n] = least - 1;
  }
  return layer;
}

interface Routes {
  layer: Uint32Array; // of nodes and points
  from: Uint32Array; // pieces of edges, each to the next layer if its edge has points
  to: Uint32Array;
  firstPoint: Uint32Array; // by edge; points are numbered from the number of nodes on
}

function pointsOf(nodes: number, from: Uint32Array, to: Uint32Array, layer: Uint32Array): Routes {
  const edges = from.length;
  const span = Uint32Array.from(from, (f, e) => layer[to[e]] - layer[f]);
  const budget = 2 * nodes + 2000;
  let longest = 1;
  let used = 0;
  const bySpan = new Map<number, number>();
  for (const s of span) bySpan.set(s, (bySpan.get(s) ?? 0) + 1);
  for (const s of [...bySpan.keys()].sort((a, b) => a - b)) {
    used += bySpan.get(s)! * Math.max(0, s - 1);
    if (used > budget) break;
    longest = s;
  }
  const firstPoint = new Uint32Array(edges + 1);
  for (let e = 0; e < edges; ++e) firstPoint[e + 1] = firstPoint[e] + (span[e] <= longest ? Math.max(0, span[e] - 1) : 0);
  const points = firstPoint[edges];
  const layers = new Uint32Array(nodes + points);
  layers.set(layer);
  const pieceFrom = new Uint32Array(edges + points);
  const pieceTo = new Uint32Array(edges + points);
  let at = 0;
  for (let e = 0; e < edges; ++e) {
    let last = from[e];
    for (let p = firstPoint[e]; p < firstPoint[e + 1]; ++p) {
      layers[nodes + p] = layers[last] + 1;
      pieceFrom[at] = last;
      pieceTo[at++] = last = nodes + p;
    }
    pieceFrom[at] = last;
    pieceTo[at++] = to[e];
  }
  return { layer: layers, from: pieceFrom, to: pieceTo, firstPoint };
}

function members(layer: Uint32Array): number[][] {
  const rows: number[][] = [];
  for (let n = 0; n < layer.length; ++n) (rows[layer[n]] ??= []).push(n);
  for (let l = 0; l < rows.length; ++l) rows[l] ??= [];
  return rows;
}

// The distance of each from the first of its layer, at least.
function spacing(row: number[], nodes: number, parts: number): Float64Array {
  const offsets = new Float64Array(row.length);
  const width = (n: number): number => (n < nodes ? NODE_WIDTH + GAP : POINT_WIDTH) / parts;
  for (let i = 1; i < row.length; ++i) offsets[i] = offsets[i - 1] + (width(row[i - 1]) + width(row[i])) / 2;
  return offsets;
}

// Places a row as near to where its members want to be as their distances allow: the least sum of squares.
function place(row: number[], offsets: Float64Array, x: Float32Array, wanted: Float64Array | undefined): void {
  const n = row.length;
  if (n === 0) return;
  if (!wanted) {
    for (let i = 0; i < n; ++i) x[row[i]] = offsets[i] - offsets[n - 1] / 2;
    return;
  }
  const mean = new Float64Array(n);
  const size = new Uint32Array(n);
  let blocks = 0;
  for (let i = 0; i < n; ++i) {
    mean[blocks] = wanted[i] - offsets[i];
    size[blocks++] = 1;
    while (blocks > 1 && mean[blocks - 2] > mean[blocks - 1]) {
      const both = size[blocks - 2] + size[blocks - 1];
      mean[blocks - 2] = (mean[blocks - 2] * size[blocks - 2] + mean[blocks - 1] * size[blocks - 1]) / both;
      size[blocks - 2] = both;
      --blocks;
    }
  }
  for (let b = 0, i = 0; b < blocks; ++b) for (let k = 0; k < size[b]; ++k, ++i) x[row[i]] = mean[b] + offsets[i];
}

// Sorts a row by where its neighbours are, if it is to be sorted, and moves its members there.
function settle(row: number[], to: Lists, x: Float32Array, sort: boolean, space: typeof spacing, nodes: number, parts: number): void {
  const wanted = Float64Array.from(row, (n) => {
    const count = to.first[n + 1] - to.first[n];
    let sum = 0;
    for (let k = to.first[n]; k < to.first[n + 1]; ++k) sum += x[to.list[k]];
    return count === 0 ? x[n] : sum / count;
  });
  if (!sort) return place(row, space(row, nodes, parts), x, wanted);
  const order = row.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || x[row[a]] - x[row[b]] || row[a] - row[b]);
  const sorted = order.map((i) => row[i]);
  sorted.forEach((n, i) => (row[i] = n));
  place(row, space(row, nodes, parts), x, Float64Array.from(order, (i) => wanted[i]));
}

// Rows one below the other, cut into columns side by side.
function inColumns(nodes: number, rows: number[][], parts: number[], x: Float32Array, layer: Uint32Array, routes: Routes): Layout {
  const y = new Float32Array(x.length);
  const heights = rows.map((_, l) => LAYER_HEIGHT + (parts[l] - 1) * ROW_HEIGHT);
  const total = heights.reduce((a, b) => a + b, 0);
  let low = Infinity;
  let high = -Infinity;
  for (const v of x) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const wide = x.length === 0 ? 0 : high - low + NODE_WIDTH + COLUMN_GAP;
  const columns = total > 2.5 * wide && nodes > 40 ? Math.max(1, Math.round(Math.sqrt((SHAPE * total) / wide))) : 1;
  const most = total / columns;
  let left = 0;
  let width = 0;
  let height = 0;
  for (let l = 0; l < rows.length; ) {
    const begin = l;
    let top = 0;
    while (l < rows.length && (l === begin || top + heights[l] <= most + LAYER_HEIGHT)) {
      let i = 0;
      for (const n of rows[l]) y[n] = top + LAYER_HEIGHT / 2 + (n < nodes ? (i++ % parts[l]) * ROW_HEIGHT : 0);
      top += heights[l++];
    }
    let least = Infinity;
    let greatest = -Infinity;
    for (let k = begin; k < l; ++k)
      for (const n of rows[k]) {
        least = Math.min(least, x[n]);
        greatest = Math.max(greatest, x[n]);
      }
    for (let k = begin; k < l; ++k) for (const n of rows[k]) x[n] += left - least + NODE_WIDTH / 2;
    width = left + greatest - least + NODE_WIDTH;
    left = width + COLUMN_GAP;
    height = Math.max(height, top);
  }
  const points = new Float32Array(2 * (x.length - nodes));
  for (let p = 0; p < x.length - nodes; ++p) {
    points[2 * p] = x[nodes + p];
    points[2 * p + 1] = y[nodes + p];
  }
  return { x: x.slice(0, nodes), y: y.slice(0, nodes), layer, width, height, firstPoint: routes.firstPoint, points };
}
