// SPDX-License-Identifier: Apache-2.0
// What is drawn in one colour and shown or hidden together: the kernels of one name (the most frequent ones), and each
// other kind of node.
import type { Model } from "./model";

export interface Group {
  name: string;
  kernel: boolean;
  count: number;
}

const MOST_KERNELS = 9;

export interface Groups {
  list: Group[];
  of: Uint8Array; // by node
}

export function groupsOf(model: Model): Groups {
  const kernels = new Map<string, number>();
  const others = new Map<string, number>();
  const add = (to: Map<string, number>, key: string): void => void to.set(key, (to.get(key) ?? 0) + 1);
  for (let n = 0; n < model.nodeCount; ++n)
    if (model.kind(n) === "kernel") add(kernels, model.shortName(n));
    else add(others, model.kind(n));
  const frequent = (counts: Map<string, number>): [string, number][] =>
    [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const named = frequent(kernels);
  // One group for the rest is made only if it stands for several.
  const alone = named.length <= MOST_KERNELS + 1 ? named.length : MOST_KERNELS;
  const list: Group[] = named.slice(0, alone).map(([name, count]) => ({ name, kernel: true, count }));
  const rest = named.slice(alone).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) list.push({ name: `${named.length - alone} other kernels`, kernel: true, count: rest });
  const kernelGroups = new Map(named.map(([name], i) => [name, Math.min(i, alone)]));
  const otherGroups = new Map<string, number>();
  for (const [name, count] of frequent(others)) otherGroups.set(name, list.push({ name, kernel: false, count }) - 1);
  const of = new Uint8Array(model.nodeCount);
  for (let n = 0; n < model.nodeCount; ++n)
    of[n] = model.kind(n) === "kernel" ? kernelGroups.get(model.shortName(n))! : otherGroups.get(model.kind(n))!;
  return { list, of };
}
