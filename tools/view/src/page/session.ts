// SPDX-License-Identifier: Apache-2.0
// What the user has chosen, shared by all views. It is all that a link to the page holds (fragment.ts).
import { type Theme, dark, light } from "../draw/theme";
import { type Groups, groupsOf } from "../model/groups";
import type { Model } from "../model/model";
import type { Edge } from "../model/requirement";
import { search } from "../model/search";

export type ViewName = "graph" | "time" | "data";

export class Session {
  readonly groups: Groups;
  view: ViewName = "graph";
  node: number | undefined;
  edge: Edge | undefined;
  buffer: number | undefined;
  hovered: number | undefined;
  hidden = new Set<number>(); // groups
  device: number | undefined; // only what runs there is not dimmed
  critical = false;
  query = "";
  hits: Uint32Array = new Uint32Array();
  theme: Theme = light;
  readonly isHit: Uint8Array; // by node
  // By node: 1 if it is drawn in full. Others stay, faintly, so that nothing jumps.
  readonly shown: Uint8Array;
  private readonly listeners: (() => void)[] = [];
  private waiting = false;

  constructor(readonly model: Model) {
    this.groups = groupsOf(model);
    this.isHit = new Uint8Array(model.nodeCount);
    this.shown = new Uint8Array(model.nodeCount).fill(1);
  }

  // Called once for any number of changes, before the next frame.
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      this.filter();
      for (const l of this.listeners) l();
    });
  }

  selectNode(node: number | undefined): void {
    this.node = node;
    this.edge = undefined;
    if (node !== undefined && this.model.isTransfer(node))
      this.buffer = this.model.content.steps.buffer[this.model.stepOfNode[node]] - 1;
    this.changed();
  }
  selectEdge(edge: Edge | undefined): void {
    this.edge = edge;
    this.node = undefined;
    this.changed();
  }
  toggleGroup(group: number): void {
    if (!this.hidden.delete(group)) this.hidden.add(group);
    this.changed();
  }
  setQuery(query: string): void {
    this.query = query;
    this.isHit.fill(0);
    this.hits = search(this.model, query);
    for (const n of this.hits) this.isHit[n] = 1;
    this.changed();
  }
  setDark(on: boolean): void {
    this.theme = on ? dark : light;
    this.changed();
  }
  shows(node: number): boolean {
    return this.shown[node] === 1;
  }
  private filter(): void {
    const { model, groups, hidden, device, critical } = this;
    const searching = this.query.trim() !== "";
    for (let n = 0; n < model.nodeCount; ++n) {
      const out =
        hidden.has(groups.of[n]) ||
        (device !== undefined && model.deviceOf[n] !== device) ||
        (critical && !model.isCritical(n)) ||
        (searching && this.isHit[n] === 0);
      this.shown[n] = out ? 0 : 1;
    }
  }
}
