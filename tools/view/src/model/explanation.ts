// SPDX-License-Identifier: Apache-2.0
// What the program answers where it serves the page: of pianola.explanation/1, what the page does not know by itself.
import type { Model } from "./model";
import type { Edge } from "./requirement";
import { bytes, counted, seconds } from "./units";

export interface Outcome {
  bytes: number;
  transfers: number;
  edges: number;
  seconds: number;
}
export interface Explanation {
  suggestions: { text: string; before: Outcome; after: Outcome }[];
  tried: number;
  not_tried: number;
}

// How to ask for what is chosen. An edge of a transfer is there because of that; between two, the later one.
export function questionOf(model: Model, node: number | undefined, edge: Edge | undefined): string | undefined {
  const ofNode = (n: number): string => (model.isTransfer(n) ? `transfer=${model.stepOfNode[n]}` : `node=${model.idOf(n)}`);
  if (node !== undefined) return ofNode(node);
  if (!edge) return undefined;
  const { from, to } = edge;
  if (model.isTransfer(to)) return ofNode(to);
  return model.isTransfer(from) ? ofNode(from) : `edge=${model.idOf(from)}-${model.idOf(to)}`;
}

// As `pianola explain` says it: "-4 MiB, -1 transfer, -120 µs of 1.50 ms".
export function gain(before: Outcome, after: Outcome): string {
  const sign = (difference: number): string => (difference < 0 ? "\u2212" : "+");
  const parts: string[] = [];
  const moved = after.bytes - before.bytes;
  if (moved !== 0) parts.push(sign(moved) + bytes(Math.abs(moved)));
  for (const [name, n] of [["transfer", after.transfers - before.transfers], ["edge", after.edges - before.edges]] as const)
    if (n !== 0) parts.push(sign(n) + counted(Math.abs(n), name));
  const time = after.seconds - before.seconds;
  if (Math.abs(time) > 1e-6 * before.seconds) parts.push(`${sign(time)}${seconds(Math.abs(time))} of ${seconds(before.seconds)}`);
  return parts.length > 0 ? parts.join(", ") : "no difference";
}

// What was done, where it has to be said.
export function effort({ suggestions, tried, not_tried }: Explanation): string {
  if (not_tried > 0) return `tried ${tried.toLocaleString("en-US")} of ${counted(tried + not_tried, "change")}`;
  return suggestions.length === 0 ? `of ${counted(tried, "change")} tried none gains anything` : "each was tried by planning again";
}
