// SPDX-License-Identifier: Apache-2.0
// Where a transfer gets its data from, and who uses what it brings. A plan tells what a step waits for, which is less
// (what its lane and others imply is left out) and more (whoever used the place before).
import { type Box, overlaps, without } from "./box";
import type { Content } from "./content";
import { type Edge, NO_INIT, type Requirement, WRITES } from "./requirement";

// What is to be known of a graph and its plan; see Model.
export interface Plan {
  readonly content: Content;
  readonly nodeCount: number;
  readonly nodeOfStep: Uint32Array;
  memoryOf(device: number): number;
  eachBuffer(command: number, f: (buffer: number) => void): void;
  requirements(command: number): Requirement[];
  transferBox(step: number): Box;
}

// What a step does to one buffer, in one memory.
export interface Use {
  step: number;
  memory: number; // where a command works, or a transfer leads to
  source: number; // where a transfer comes from; -1: it is a command
  mode: number; // of a command
  elements: Box;
}

// So far a transfer looks for its data and its users: graphs of files may be of any shape.
const FAR = 2000;

// The uses of the buffers in the order of the plan, by buffer.
export function usesOfBuffers(plan: Plan, wanted?: number): Use[][] {
  const { steps, buffers } = plan.content;
  const uses: Use[][] = buffers.map(() => []);
  for (let step = 0; step < steps.lane.length; ++step) {
    if (steps.command[step] === 0) {
      const buffer = steps.buffer[step] - 1;
      if (wanted === undefined || buffer === wanted)
        uses[buffer].push({ step, memory: steps.to[step] - 1, source: steps.from[step] - 1, mode: 0, elements: plan.transferBox(step) });
      continue;
    }
    const memory = plan.memoryOf(steps.device[step] - 1);
    let asked = wanted === undefined;
    if (!asked) plan.eachBuffer(steps.command[step] - 1, (b) => (asked ||= b === wanted));
    if (!asked) continue;
    for (const r of plan.requirements(steps.command[step] - 1))
      if (wanted === undefined || r.buffer === wanted)
        uses[r.buffer].push({ step, memory, source: -1, mode: r.mode, elements: r.elements });
  }
  return uses;
}

export function transferEdges(plan: Plan, transfers: number[]): Edge[] {
  if (transfers.length === 0) return [];
  const uses = usesOfBuffers(plan);
  const edges = new Map<number, Edge>();
  const add = (fromStep: number, toStep: number): void => {
    const edge = { from: plan.nodeOfStep[fromStep], to: plan.nodeOfStep[toStep] };
    if (edge.from !== edge.to) edges.set(edge.from * plan.nodeCount + edge.to, edge);
  };
  for (const list of uses)
    list.forEach((use, at) => {
      if (use.source < 0) return;
      sources(list, at, (from) => add(from, use.step));
      users(list, at, (to) => add(use.step, to));
    });
  return [...edges.values()];
}

// Calls found with each step that the data of the transfer at list[at] was made by, or that brought it there.
function sources(list: Use[], at: number, found: (step: number) => void): void {
  const wanted = list[at];
  let rest: Box[] = [wanted.elements];
  for (let i = at - 1; i >= 0 && at - i < FAR && rest.length > 0 && rest.length < 64; --i) {
    const use = list[i];
    const gives = use.source >= 0 ? use.memory === wanted.source : (use.mode & WRITES) !== 0;
    if (!gives || !rest.some((b) => overlaps(b, use.elements))) continue;
    found(use.step);
    rest = without(rest, use.elements);
  }
}

function users(list: Use[], at: number, found: (step: number) => void): void {
  const brought = list[at];
  let rest: Box[] = [brought.elements];
  for (let i = at + 1; i < list.length && i - at < FAR && rest.length > 0 && rest.length < 64; ++i) {
    const use = list[i];
    if (use.source >= 0 || !rest.some((b) => overlaps(b, use.elements))) continue;
    if (use.memory === brought.memory && (use.mode & NO_INIT) === 0) found(use.step);
    if ((use.mode & WRITES) !== 0) rest = without(rest, use.elements);
  }
}
