// SPDX-License-Identifier: Apache-2.0
// The right side: all that is known of the chosen node or edge.
import { colourOf } from "../draw/theme";
import { count } from "../model/box";
import { NO_INIT, READS, WRITES } from "../model/requirement";
import { boxText, sentences } from "../model/reasons";
import { bytes, counted, seconds } from "../model/units";
import { button, byId, element } from "./dom";
import type { Session } from "./session";
import { Suggestions } from "./suggestions";

const MOST = 40; // of each list

export class Details {
  private shown = "";
  private readonly suggestions: Suggestions;
  constructor(private readonly session: Session, private readonly goTo: (node: number) => void) {
    this.suggestions = new Suggestions(session);
  }

  refresh(): void {
    const { node, edge, theme } = this.session;
    const key = JSON.stringify([node, edge, theme.dark]);
    if (key === this.shown) return;
    this.shown = key;
    const parts = node !== undefined ? this.ofNode(node) : edge ? this.ofEdge(edge.from, edge.to) : [];
    byId("details").replaceChildren(...parts, ...this.suggestions.section());
    byId("details").scrollTop = 0;
  }

  private head(node: number): Node[] {
    const { model, theme, groups } = this.session;
    const chip = element("span", { class: "chip" }, model.kind(node));
    chip.style.background = colourOf(theme, groups.list[groups.of[node]], groups.of[node]);
    const number = model.isTransfer(node) ? `step ${model.stepOfNode[node]}` : `#${node}`;
    const parts: Node[] = [
      element("div", { class: "what" }, chip, number, ...(model.isCritical(node) ? [element("b", { class: "bad" }, "on the critical path")] : [])),
      element("h3", {}, model.shortName(node)),
    ];
    if (model.fullName(node) !== model.shortName(node)) parts.push(element("p", { class: "full" }, model.fullName(node)));
    return parts;
  }

  private facts(entries: [string, string][]): Node {
    return element("dl", {}, ...entries.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  private ofNode(node: number): Node[] {
    const { model } = this.session;
    const { content } = model;
    const step = model.stepOfNode[node];
    const facts: [string, string][] = [];
    const parts = this.head(node);
    if (model.isTransfer(node)) {
      const buffer = content.steps.buffer[step] - 1;
      facts.push(["moves", `${model.bufferName(buffer)} ${boxText(model.transferBox(step), content.buffers[buffer].dimensions)}`]);
      facts.push(["bytes", bytes(model.transferBytes(step))], ["from", model.memoryName(content.steps.from[step] - 1)], ["to", model.memoryName(content.steps.to[step] - 1)]);
    } else if (model.detail(node) !== "") facts.push(["does", model.detail(node)]);
    if (!model.isTransfer(node)) facts.push(["runs on", model.deviceName(model.deviceOf[node])]);
    if (step >= 0) {
      facts.push(["lane", `${content.steps.lane[step]}, as step ${step}`], ["starts", seconds(model.start[step])], ["takes", seconds(model.end[step] - model.start[step])]);
    }
    const measured = content.commands.measured[node] ?? 0;
    if (!model.isTransfer(node) && measured > 0) facts.push(["measured", `${seconds(measured)} when it was recorded`]);
    for (const a of model.isTransfer(node) ? [] : (content.commands.allocations[node] ?? [])) {
      const { kind, memory, bytes: size } = content.allocations[a];
      facts.push(["pointer into", `USM allocation ${a}: ${kind}, ${bytes(size)} in ${model.memoryName(memory)}`]);
    }
    parts.push(this.facts(facts));
    if (!model.isTransfer(node)) parts.push(this.requirements(node));
    parts.push(this.neighbours("Comes after", [...model.predecessors(node)], (p) => sentences(model, p, node)));
    parts.push(this.neighbours("Before", [...model.successors(node)], (s) => sentences(model, node, s)));
    return parts;
  }

  private requirements(command: number): Node {
    const { model } = this.session;
    const list = model.requirements(command);
    const section = element("section", {}, element("h2", {}, "Needs"));
    for (const r of list.slice(0, MOST)) {
      const info = model.content.buffers[r.buffer];
      const mode = (r.mode & (READS | WRITES)) === (READS | WRITES) ? "reads and writes" : r.mode & WRITES ? "writes" : "reads";
      const size = bytes(count(r.elements) * info.element);
      section.append(
        button({ class: "item", title: "Where its pages are" }, () => this.showBuffer(r.buffer), element("b", {}, model.bufferName(r.buffer)),
          element("p", {}, `${mode}${r.mode & NO_INIT ? ", old contents not needed" : ""}: ${boxText(r.elements, info.dimensions)}, ${size}`)),
      );
    }
    if (list.length > MOST) section.append(element("p", { class: "more" }, `and ${list.length - MOST} more`));
    if (list.length === 0) section.append(element("p", { class: "more" }, "no buffer"));
    return section;
  }
  private showBuffer(buffer: number): void {
    this.session.buffer = buffer;
    this.session.view = "data";
    this.session.changed();
  }

  private neighbours(title: string, nodes: number[], why: (node: number) => string[]): Node {
    const { model } = this.session;
    const section = element("section", {}, element("h2", {}, `${title} ${counted(nodes.length, "other")}`));
    for (const n of nodes.slice(0, MOST))
      section.append(
        button({ class: "item", "data-node": model.idOf(n) }, () => this.goTo(n), element("b", {}, model.shortName(n)), ` ${model.isTransfer(n) ? model.detail(n) : `#${n}`}`,
          ...why(n).slice(0, 4).map((text) => element("p", {}, text))),
      );
    if (nodes.length > MOST) section.append(element("p", { class: "more" }, `and ${nodes.length - MOST} more`));
    return section;
  }

  private ofEdge(from: number, to: number): Node[] {
    const { model } = this.session;
    const end = (n: number): Node => button({ class: "item", "data-node": model.idOf(n) }, () => this.goTo(n), element("b", {}, model.shortName(n)), ` ${model.isTransfer(n) ? model.detail(n) : `#${n}`}`);
    return [
      element("div", { class: "what" }, "edge"),
      element("h3", {}, `Why does ${model.shortName(to)} wait for ${model.shortName(from)}?`),
      element("section", {}, ...sentences(model, from, to).map((text) => element("p", { class: "item" }, text))),
      element("section", {}, element("h2", {}, "First"), end(from), element("h2", {}, "Then"), end(to)),
    ];
  }
}
