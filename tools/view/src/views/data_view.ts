// SPDX-License-Identifier: Apache-2.0
// Where the pages of one buffer are: a map for each memory, pages from top to bottom, time from left to right.
import { drawTooltip, lines } from "../draw/tooltip";
import { type PageMap, type Span, type State, pageMap } from "../model/residency";
import { bytes } from "../model/units";
import type { Session } from "../page/session";
import { TextFitter } from "./pane";
import { AXIS, LABELS, TimePane } from "./time_axis";

const GAP = 14;
const LEGEND = 30;

// Not those of kinds: here it matters what is done, and not by whom.
export const stateColours = (darkTheme: boolean): Record<State, string> =>
  darkTheme
    ? { valid: "#344152", arriving: "#ff8f33", written: "#d3dff2", read: "#7388a5" }
    : { valid: "#cdd6e2", arriving: "#ea6f0d", written: "#2e4464", read: "#8aa0bf" };

export const stateTexts: Record<State, string> = {
  valid: "holds current data",
  arriving: "data arrives",
  written: "a command writes",
  read: "a command reads",
};

export class DataView extends TimePane {
  private map: PageMap | undefined;
  private mapped: number | undefined; // the buffer of the map
  private readonly fitter: TextFitter;

  constructor(canvas: HTMLCanvasElement, session: Session) {
    super(canvas, session);
    this.fitter = new TextFitter(this.context);
  }

  protected get contentHeight(): number {
    return 0;
  }

  private current(): PageMap | undefined {
    const { buffer, model } = this.session;
    if (buffer !== this.mapped) {
      this.mapped = buffer;
      this.map = buffer === undefined ? undefined : pageMap(model, buffer);
    }
    return this.map;
  }

  // Top and height of the map of a memory, by its place in the list.
  private frame(place: number, count: number): [number, number] {
    const room = this.height - AXIS - LEGEND - GAP;
    const height = Math.min(260, (room - GAP * count) / count);
    return [AXIS + GAP + place * (height + GAP), height];
  }

  protected paint(): void {
    const { context: c, session } = this;
    const { theme } = session;
    c.fillStyle = theme.background;
    c.fillRect(0, 0, this.width, this.height);
    const map = this.current();
    if (!map || map.memories.length === 0) {
      c.fillStyle = theme.faint;
      c.font = "14px system-ui, sans-serif";
      c.textAlign = "center";
      c.fillText(map ? "no command of this plan uses the buffer" : "choose a buffer on the left", this.width / 2, this.height / 2);
      return;
    }
    const colours = stateColours(theme.dark);
    const count = map.memories.length;
    map.memories.forEach(({ spans }, place) => {
      const [top, height] = this.frame(place, count);
      c.fillStyle = theme.band;
      c.fillRect(this.at(0), top, this.at(this.makespan) - this.at(0), height);
      for (const state of ["valid", "read", "arriving", "written"] as const) this.paintSpans(spans, state, colours[state], top, height, map.rows);
      this.paintPages(top, height, map);
    });
    this.paintAxis();
    this.paintLabelArea();
    map.memories.forEach(({ memory }, place) => this.paintLabel(memory, ...this.frame(place, count)));
    this.paintLegend(colours, map);
    this.paintTooltip();
  }

  private paintSpans(spans: Span[], state: State, colour: string, top: number, height: number, rows: number): void {
    const { context: c, session } = this;
    c.fillStyle = colour;
    c.beginPath();
    for (const s of spans) {
      if (s.state !== state) continue;
      const x0 = Math.max(LABELS, this.at(s.start));
      const x1 = Math.min(this.width, Math.max(x0 + 1, this.at(s.end)));
      if (x1 <= x0) continue;
      c.rect(x0, top + (s.first / rows) * height, x1 - x0, Math.max(1, ((s.last - s.first) / rows) * height));
    }
    c.fill();
    const { node, model } = session;
    if (node === undefined) return;
    c.strokeStyle = session.theme.text;
    c.lineWidth = 2;
    for (const s of spans)
      if (s.state === state && s.step >= 0 && model.nodeOfStep[s.step] === node)
        c.strokeRect(this.at(s.start), top + (s.first / rows) * height, Math.max(2, this.at(s.end) - this.at(s.start)), ((s.last - s.first) / rows) * height);
  }

  private paintPages(top: number, height: number, map: PageMap): void {
    if (height / map.rows < 7) return;
    const { context: c, session } = this;
    c.strokeStyle = session.theme.background;
    c.lineWidth = 1;
    c.beginPath();
    for (let r = 1; r < map.rows; ++r) {
      const y = Math.round(top + (r * height) / map.rows) + 0.5;
      c.moveTo(LABELS, y);
      c.lineTo(this.width, y);
    }
    c.stroke();
  }

  private paintLabel(memory: number, top: number, height: number): void {
    const { context: c, session } = this;
    const { theme, model } = session;
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.font = "600 12px system-ui, sans-serif";
    c.fillStyle = theme.text;
    c.fillText(this.fitter.fit(model.memoryName(memory), LABELS - 72), 14, top + 10);
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = theme.faint;
    const devices = model.content.devices.flatMap((d, i) => (d.memory === memory ? [model.deviceName(i)] : []));
    c.textAlign = "right";
    if (height > 60) {
      c.fillText("page 0", LABELS - 10, top + 8);
      c.fillText(`${this.map!.pages - 1}`, LABELS - 10, top + height - 8);
    }
    c.textAlign = "left";
    if (devices.length > 0 && height > 34) c.fillText(this.fitter.fit(devices.join(", "), LABELS - 28), 14, top + 27);
  }

  private paintLegend(colours: Record<State, string>, map: PageMap): void {
    const { context: c, session } = this;
    const { theme, model, buffer } = session;
    let x = LABELS;
    const y = this.height - LEGEND / 2;
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (const state of ["valid", "arriving", "written", "read"] as const) {
      c.fillStyle = colours[state];
      c.fillRect(x, y - 6, 12, 12);
      c.fillStyle = theme.faint;
      c.fillText(stateTexts[state], x + 18, y);
      x += c.measureText(stateTexts[state]).width + 40;
    }
    const info = model.content.buffers[buffer!];
    const size = info.range.reduce((a, b) => a * b, 1) * info.element;
    c.textAlign = "right";
    const each = map.pages > map.rows ? `, a row is ${Math.ceil(map.pages / map.rows)} of them` : "";
    c.fillText(`${model.bufferName(buffer!)}: ${bytes(size)} in ${map.pages.toLocaleString("en-US")} pages${each}`, this.width - 24, y);
  }

  private spanAt(x: number, y: number): Span | undefined {
    const map = this.current();
    if (!map || x < LABELS) return undefined;
    for (const [place, { spans }] of map.memories.entries()) {
      const [top, height] = this.frame(place, map.memories.length);
      if (y < top || y >= top + height) continue;
      const row = ((y - top) / height) * map.rows;
      const time = this.timeAt(x);
      const slack = this.timeAt(x + 2) - time;
      return spans.find((s) => s.step >= 0 && row >= s.first && row < s.last && time >= s.start - slack && time <= s.end + slack);
    }
    return undefined;
  }
  protected nodeAt(x: number, y: number): number | undefined {
    const span = this.spanAt(x, y);
    return span && this.session.model.nodeOfStep[span.step];
  }

  private paintTooltip(): void {
    const { hovered, model, theme } = this.session;
    const map = this.current();
    if (hovered === undefined || !map) return;
    for (const [place, { spans }] of map.memories.entries()) {
      const span = spans.find((s) => s.step >= 0 && model.nodeOfStep[s.step] === hovered);
      if (!span) continue;
      const [top, height] = this.frame(place, map.memories.length);
      const text = [...lines(model, hovered), stateTexts[span.state]];
      drawTooltip(this.context, theme, text, this.at(span.start), top + (span.first / map.rows) * height, this.width, this.height);
      return;
    }
  }
}
