// SPDX-License-Identifier: Apache-2.0
// The graph and its plan, ready to be drawn and asked. Nodes are the commands, by their numbers, and after them the
// transfers of the plan in the order of their steps.
import { type Box, count } from "./box";
import type { Content } from "./content";
import { label } from "./names";
import type { Requirement } from "./requirement";
import { transferEdges } from "./transfers";

// Neighbours of every node: those of node n are list[first[n]] to list[first[n + 1] - 1]; likewise the edges they are on.
export interface Neighbours {
  first: Uint32Array;
  list: Uint32Array;
}

export function neighbours(nodes: number, of: ArrayLike<number>, to: ArrayLike<number>): Neighbours {
  const first = new Uint32Array(nodes + 1);
  for (let e = 0; e < of.length; ++e) ++first[of[e] + 1];
  for (let n = 0; n < nodes; ++n) first[n + 1] += first[n];
  const next = first.slice();
  const list = new Uint32Array(of.length);
  for (let e = 0; e < of.length; ++e) list[next[of[e]]++] = to[e];
  return { first, list };
}

export class Model {
  readonly commandCount: number;
  readonly nodeCount: number;
  readonly stepOfNode: Int32Array; // -1: the plan does not run it
  readonly nodeOfStep: Uint32Array;
  // Edges between commands as planning derives them, then those from and to transfers.
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly commandEdges: number;
  readonly before: Neighbours;
  readonly after: Neighbours;
  readonly start: Float64Array; // seconds, by step
  readonly end: Float64Array;
  readonly critical: Uint8Array; // by step
  readonly kinds: string[]; // that there are, most frequent first
  readonly kindOf: Uint8Array; // by node, index into kinds
  readonly deviceOf: Int32Array; // by node; where it runs, for a transfer the device of its lane
  readonly movedBytes: Float64Array; // by buffer
  private readonly labels: string[] = []; // by text, when it was asked for
  private readonly firstNeed: Uint32Array;
  private readonly firstAfter: Uint32Array;
  private readonly firstWait: Uint32Array;

  constructor(readonly content: Content) {
    const { commands, steps } = content;
    this.commandCount = commands.kind.length;
    this.firstNeed = sums(commands.needs);
    this.firstAfter = sums(commands.follows);
    this.firstWait = sums(steps.waits);
    const stepCount = steps.lane.length;
    this.nodeOfStep = new Uint32Array(stepCount);
    const transfers: number[] = [];
    for (let s = 0; s < stepCount; ++s) {
      if (steps.command[s] !== 0) this.nodeOfStep[s] = steps.command[s] - 1;
      else this.nodeOfStep[s] = this.commandCount + transfers.push(s) - 1;
    }
    this.nodeCount = this.commandCount + transfers.length;
    this.stepOfNode = new Int32Array(this.nodeCount).fill(-1);
    for (let s = 0; s < stepCount; ++s) this.stepOfNode[this.nodeOfStep[s]] = s;
    this.start = Float64Array.from(steps.start, (t) => t * steps.tick);
    this.end = Float64Array.from(steps.end, (t) => t * steps.tick);
    this.critical = new Uint8Array(stepCount);
    for (const s of steps.critical) this.critical[s] = 1;

    const { kinds, kindOf } = this.sortKinds();
    this.kinds = kinds;
    this.kindOf = kindOf;
    this.deviceOf = new Int32Array(this.nodeCount).fill(-1);
    for (let c = 0; c < this.commandCount; ++c) this.deviceOf[c] = commands.device[c] - 1;
    for (let s = 0; s < stepCount; ++s)
      this.deviceOf[this.nodeOfStep[s]] =
        steps.device[s] !== 0 ? steps.device[s] - 1 : content.lanes[steps.lane[s]];
    this.movedBytes = new Float64Array(content.buffers.length);
    for (const s of transfers) this.movedBytes[steps.buffer[s] - 1] += this.transferBytes(s);

    const moves = transferEdges(this, transfers);
    this.commandEdges = content.edges.from.length;
    this.from = Uint32Array.from([...content.edges.from, ...moves.map((e) => e.from)]);
    this.to = Uint32Array.from([...content.edges.to, ...moves.map((e) => e.to)]);
    this.before = neighbours(this.nodeCount, this.to, this.from);
    this.after = neighbours(this.nodeCount, this.from, this.to);
  }

  private sortKinds(): { kinds: string[]; kindOf: Uint8Array } {
    const { texts, commands } = this.content;
    const tally = new Map<string, number>();
    const of = (n: number): string => (this.isTransfer(n) ? "transfer" : texts[commands.kind[n]]);
    for (let n = 0; n < this.nodeCount; ++n) tally.set(of(n), (tally.get(of(n)) ?? 0) + 1);
    const kinds = [...tally.keys()].sort((a, b) => tally.get(b)! - tally.get(a)! || (a < b ? -1 : 1));
    const number = new Map(kinds.map((k, i) => [k, i]));
    return { kinds, kindOf: Uint8Array.from({ length: this.nodeCount }, (_, n) => number.get(of(n))!) };
  }

  isTransfer(node: number): boolean {
    return node >= this.commandCount;
  }
  kind(node: number): string {
    return this.kinds[this.kindOf[node]];
  }
  // How files and fragments call it: "c12" a command, "s7" the step of a transfer.
  idOf(node: number): string {
    return this.isTransfer(node) ? `s${this.stepOfNode[node]}` : `c${node}`;
  }
  nodeOf(id: string): number | undefined {
    const number = Number(id.slice(1));
    if (!/^[cs]\d+$/.test(id)) return undefined;
    if (id[0] === "c") return number < this.commandCount ? number : undefined;
    return number < this.nodeOfStep.length ? this.nodeOfStep[number] : undefined;
  }
  shortName(node: number): string {
    const { commands, steps } = this.content;
    if (!this.isTransfer(node)) return this.labelOf(commands.short[node]) || this.kind(node);
    return this.bufferName(steps.buffer[this.stepOfNode[node]] - 1);
  }
  private labelOf(text: number): string {
    return (this.labels[text] ??= label(this.content.texts[text]));
  }
  fullName(node: number): string {
    const { texts, commands } = this.content;
    return this.isTransfer(node) ? `transfer of ${this.shortName(node)}` : texts[commands.name[node]] || this.kind(node);
  }
  detail(node: number): string {
    const { texts, commands, steps } = this.content;
    if (!this.isTransfer(node)) return texts[commands.detail[node]];
    const step = this.stepOfNode[node];
    return `${this.memoryName(steps.from[step] - 1)} \u2192 ${this.memoryName(steps.to[step] - 1)}`;
  }
  bufferName(buffer: number): string {
    return this.content.buffers[buffer].name || `buffer ${buffer}`;
  }
  memoryName(memory: number): string {
    return this.content.memories[memory].name || `memory ${memory}`;
  }
  deviceName(device: number): string {
    if (device < 0) return "no device";
    const d = this.content.devices[device];
    return d.name || d.backend || `device ${device}`;
  }
  box(index: number): Box {
    const b = this.content.boxes;
    const at = 6 * index;
    return { lo: [b[at], b[at + 1], b[at + 2]], hi: [b[at + 3], b[at + 4], b[at + 5]] };
  }
  transferBox(step: number): Box {
    return this.box(this.content.steps.box[step] - 1);
  }
  transferBytes(step: number): number {
    return count(this.transferBox(step)) * this.content.buffers[this.content.steps.buffer[step] - 1].element;
  }
  requirements(command: number): Requirement[] {
    const { buffer, mode, box } = this.content.requirements;
    const list: Requirement[] = [];
    for (let r = this.firstNeed[command]; r < this.firstNeed[command + 1]; ++r)
      list.push({ buffer: buffer[r], mode: mode[r], elements: this.box(box[r]) });
    return list;
  }
  // Calls f with each buffer that a command needs, without making anything.
  eachBuffer(command: number, f: (buffer: number, mode: number) => void): void {
    const { buffer, mode } = this.content.requirements;
    for (let r = this.firstNeed[command]; r < this.firstNeed[command + 1]; ++r) f(buffer[r], mode[r]);
  }
  // Commands that it was told to come after.
  explicit(command: number): number[] {
    return this.content.commands.after.slice(this.firstAfter[command], this.firstAfter[command + 1]);
  }
  // Steps that it waits for, besides those before it in its lane.
  waits(step: number): number[] {
    return this.content.steps.waits_for.slice(this.firstWait[step], this.firstWait[step + 1]);
  }
  memoryOf(device: number): number {
    return this.content.devices[device].memory;
  }
  predecessors(node: number): Uint32Array {
    return this.before.list.subarray(this.before.first[node], this.before.first[node + 1]);
  }
  successors(node: number): Uint32Array {
    return this.after.list.subarray(this.after.first[node], this.after.first[node + 1]);
  }
  isCritical(node: number): boolean {
    const step = this.stepOfNode[node];
    return step >= 0 && this.critical[step] === 1;
  }
}

function sums(counts: number[]): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) first[i + 1] = first[i] + counts[i];
  return first;
}
