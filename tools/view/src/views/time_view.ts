// SPDX-License-Identifier: Apache-2.0
// Lanes over time, by device, with what moves between the devices.
import { Raster, mixed, packed, rgb } from "../draw/raster";
import { colourOf } from "../draw/theme";
import { drawTooltip, lines } from "../draw/tooltip";
import { seconds } from "../model/units";
import type { Session } from "../page/session";
import { TextFitter } from "./pane";
import { AXIS, LABELS, TimePane } from "./time_axis";

const HEADER = 26;
const MOST_BARS = 2500; // one by one, with text
const MOST_ARROWS = 600;

interface Row {
  lane: number; // -1: the header of a device, or memory that no device has
  device: number;
  top: number;
  height: number;
  text: string;
  steps: Uint32Array; // in the order of starts
}

interface Arrow {
  step: number;
  from: Row;
  to: Row;
}

export class TimeView extends TimePane {
  private readonly rows: Row[] = [];
  private readonly arrows: Arrow[];
  private readonly rowOfLane = new Map<number, Row>();
  private readonly fitter: TextFitter;
  private raster = new Raster(1, 1);
  private picture: OffscreenCanvas | undefined;
  private total = 0;

  constructor(canvas: HTMLCanvasElement, session: Session) {
    super(canvas, session);
    this.fitter = new TextFitter(this.context);
    this.makeRows();
    this.arrows = this.makeArrows();
  }

  private makeRows(): void {
    const { model } = this.session;
    const { content } = model;
    const byLane = new Map<number, number[]>();
    content.steps.lane.forEach((lane, step) => {
      const list = byLane.get(lane);
      if (list) list.push(step);
      else byLane.set(lane, [step]);
    });
    const add = (row: Omit<Row, "top">): Row => {
      const made = { ...row, top: this.total };
      this.total += row.height;
      this.rows.push(made);
      return made;
    };
    const used = (memory: number): boolean => content.steps.from.includes(memory + 1) || content.steps.to.includes(memory + 1);
    const devices = content.devices.map((_, d) => d).filter((d) => [...byLane.keys()].some((l) => content.lanes[l] === d));
    // Memory of the host has a row even if nothing runs there: data comes from it.
    if (used(0) && !devices.some((d) => model.memoryOf(d) === 0))
      add({ lane: -1, device: -1, height: HEADER + 8, text: `memory ${model.memoryName(0)}`, steps: new Uint32Array() });
    const lanes = byLane.size;
    const height = lanes <= 12 ? 34 : lanes <= 24 ? 24 : 16;
    for (const device of devices) {
      add({ lane: -1, device, height: HEADER, text: model.deviceName(device), steps: new Uint32Array() });
      for (const [lane, steps] of [...byLane].sort((a, b) => a[0] - b[0])) {
        if (content.lanes[lane] !== device) continue;
        steps.sort((a, b) => model.start[a] - model.start[b] || a - b);
        this.rowOfLane.set(lane, add({ lane, device, height, text: `lane ${lane}`, steps: Uint32Array.from(steps) }));
      }
    }
  }

  private makeArrows(): Arrow[] {
    const { model } = this.session;
    const { steps } = model.content;
    const ofMemory = (memory: number): Row | undefined => {
      const first = this.rows.find((r) => r.lane >= 0 && model.memoryOf(r.device) === memory);
      return first ?? (memory === 0 ? this.rows.find((r) => r.device < 0) : undefined);
    };
    // The lane of the first neighbour that is there, else the first one of a device with that memory.
    const place = (nodes: Uint32Array, memory: number): Row | undefined => {
      for (const n of nodes) {
        const step = model.stepOfNode[n];
        if (step >= 0 && model.deviceOf[n] >= 0 && model.memoryOf(model.deviceOf[n]) === memory)
          return this.rowOfLane.get(steps.lane[step]);
      }
      return ofMemory(memory);
    };
    const arrows: Arrow[] = [];
    for (let n = model.commandCount; n < model.nodeCount; ++n) {
      const step = model.stepOfNode[n];
      const from = place(model.predecessors(n), steps.from[step] - 1);
      const to = place(model.successors(n), steps.to[step] - 1);
      if (from && to && from !== to) arrows.push({ step, from, to });
    }
    return arrows.sort((a, b) => model.start[a.step] - model.start[b.step]);
  }

  protected get contentHeight(): number {
    return this.total + 20;
  }
  private top(row: Row): number {
    return AXIS + 6 + row.top - this.scroll;
  }
  private middle(row: Row): number {
    return this.top(row) + row.height / 2;
  }

  // Those of a row that are seen, as a range of row.steps. Steps of a lane do not overlap, so that their ends ascend as well.
  private seen(row: Row, from: number, to: number): [number, number] {
    const { start, end } = this.session.model;
    const first = lowest(row.steps.length, (i) => end[row.steps[i]] >= from);
    return [first, Math.max(first, lowest(row.steps.length, (i) => start[row.steps[i]] > to))];
  }

  protected paint(): void {
    const { context: c, session } = this;
    const { theme } = session;
    c.fillStyle = theme.background;
    c.fillRect(0, 0, this.width, this.height);
    const from = this.timeAt(LABELS);
    const to = this.timeAt(this.width);
    const rows = this.rows.filter((r) => this.top(r) < this.height && this.top(r) + r.height > AXIS);
    let bars = 0;
    for (const r of rows) {
      const [first, last] = this.seen(r, from, to);
      bars += last - first;
    }
    if (bars > MOST_BARS) {
      this.paintPixels(rows, from, to);
      this.paintAxis();
    } else {
      this.paintBands(rows);
      this.paintAxis();
      for (const r of rows) this.paintBars(r, from, to);
    }
    this.paintArrows(from, to);
    this.paintChosen();
    this.paintLabelArea();
    this.paintLabels(rows);
    this.paintTooltip();
  }

  private paintBands(rows: Row[]): void {
    const { context: c, session } = this;
    c.fillStyle = session.theme.band;
    for (const r of rows) if (r.lane < 0) c.fillRect(LABELS, this.top(r), this.width - LABELS, r.height);
  }

  private paintPixels(rows: Row[], from: number, to: number): void {
    const { session } = this;
    const { theme, model, groups } = session;
    const width = Math.ceil(this.width);
    const height = Math.ceil(this.height);
    if (this.raster.width !== width || this.raster.height !== height) {
      this.raster = new Raster(width, height);
      this.picture = new OffscreenCanvas(width, height);
    }
    const { raster } = this;
    const background = rgb(theme.background);
    raster.clear(packed(background));
    const colours = groups.list.map((g, i) => rgb(colourOf(theme, g, i)));
    const full = colours.map(packed);
    const dim = colours.map((c) => packed(mixed(c, background, 0.82)));
    const hit = packed(rgb(theme.hit));
    for (const r of rows) {
      const top = Math.round(this.top(r));
      if (r.lane < 0) {
        raster.fill(LABELS, top, width, top + r.height, packed(rgb(theme.band)));
        continue;
      }
      const [first, last] = this.seen(r, from, to);
      // Of many bars in one column of pixels one is seen: what is chosen before what is not.
      for (const shown of [false, true])
        for (let i = first; i < last; ++i) {
          const n = model.nodeOfStep[r.steps[i]];
          if (session.shows(n) !== shown) continue;
          const x0 = Math.floor(this.at(model.start[r.steps[i]]));
          const x1 = Math.max(x0 + 1, Math.floor(this.at(model.end[r.steps[i]])));
          const colour = !shown ? dim[groups.of[n]] : session.isHit[n] ? hit : full[groups.of[n]];
          raster.fill(x0, top + 3, x1, top + r.height - 3, colour);
        }
    }
    const image = new ImageData(new Uint8ClampedArray(raster.pixels.buffer as ArrayBuffer), width, height);
    this.picture!.getContext("2d", { alpha: false })!.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(this.picture!, 0, 0);
  }

  private paintBars(row: Row, from: number, to: number): void {
    if (row.lane < 0) return;
    const { context: c, session } = this;
    const { theme, model, groups } = session;
    const [first, last] = this.seen(row, from, to);
    const top = this.top(row) + 3;
    const height = row.height - 6;
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (let i = first; i < last; ++i) {
      const step = row.steps[i];
      const n = model.nodeOfStep[step];
      const x0 = Math.max(LABELS - 4, this.at(model.start[step]));
      const x1 = Math.max(x0 + 1.5, Math.min(this.width + 4, this.at(model.end[step])));
      const shown = session.shows(n);
      c.globalAlpha = shown ? 1 : 0.15;
      c.fillStyle = colourOf(theme, groups.list[groups.of[n]], groups.of[n]);
      const gap = x1 - x0 > 4 ? 0.5 : 0;
      c.beginPath();
      c.roundRect(x0 + gap, top, x1 - x0 - 2 * gap, height, Math.min(3, (x1 - x0) / 3));
      c.fill();
      if (session.isHit[n]) {
        c.strokeStyle = theme.hit;
        c.lineWidth = 2.5;
        c.stroke();
      }
      if (shown && model.isCritical(n)) {
        c.fillStyle = theme.critical;
        c.fillRect(x0 + gap, top + height - 3, x1 - x0 - 2 * gap, 3);
      }
      if (x1 - x0 > 26 && height > 12) {
        c.font = "600 11px system-ui, sans-serif";
        c.fillStyle = theme.dark ? "#0b0f14" : "#ffffff";
        c.fillText(this.fitter.fit(model.shortName(n), x1 - x0 - 10), x0 + 5, top + height / 2);
      }
    }
    c.globalAlpha = 1;
  }

  private paintArrows(from: number, to: number): void {
    const { context: c, session } = this;
    const { theme, model } = session;
    const seen = this.arrows.filter((a) => model.end[a.step] >= from && model.start[a.step] <= to && session.shows(model.nodeOfStep[a.step]));
    if (seen.length === 0) return;
    const stride = Math.ceil(seen.length / MOST_ARROWS);
    c.save();
    c.beginPath();
    c.rect(LABELS, AXIS, this.width - LABELS, this.height - AXIS);
    c.clip();
    c.strokeStyle = c.fillStyle = theme.kinds.transfer;
    c.lineWidth = 1.3;
    // Where they are close, heads would hide the lanes.
    const close = seen.length > this.span / 12;
    c.globalAlpha = close ? 0.3 : 0.8;
    const heads: [number, number, number][] = [];
    c.beginPath();
    for (let i = 0; i < seen.length; i += stride) {
      const a = seen[i];
      const x0 = this.at(model.start[a.step]);
      const x1 = this.at(model.end[a.step]);
      const y0 = this.middle(a.from);
      const y1 = this.middle(a.to) + (a.to.top > a.from.top ? -1 : 1) * (a.to.height / 2 - 3);
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
      heads.push([x1, y1, Math.atan2(y1 - y0, x1 - x0)]);
    }
    c.stroke();
    if (!close) {
      c.beginPath();
      for (const [x, y, angle] of heads) {
        c.moveTo(x, y);
        c.lineTo(x - 8 * Math.cos(angle - 0.4), y - 8 * Math.sin(angle - 0.4));
        c.lineTo(x - 8 * Math.cos(angle + 0.4), y - 8 * Math.sin(angle + 0.4));
      }
      c.fill();
    }
    c.restore();
  }

  private frameOf(node: number): [number, number, number, number] | undefined {
    const { model } = this.session;
    const step = model.stepOfNode[node];
    const row = step < 0 ? undefined : this.rowOfLane.get(model.content.steps.lane[step]);
    if (!row) return undefined;
    const x0 = this.at(model.start[step]);
    return [x0, this.top(row) + 2, Math.max(4, this.at(model.end[step]) - x0), row.height - 4];
  }
  // Where a node is on the canvas, for tests and keys.
  positionOf(node: number): [number, number] | undefined {
    const frame = this.frameOf(node);
    return frame && [frame[0] + frame[2] / 2, frame[1] + frame[3] / 2];
  }

  // The chosen node, and lines from what it had to come after and to what came after it.
  private paintChosen(): void {
    const { context: c, session } = this;
    const { model, theme, node, hovered } = session;
    const ring = (n: number, width: number): void => {
      const frame = this.frameOf(n);
      if (!frame) return;
      c.strokeStyle = theme.accent;
      c.lineWidth = width;
      c.beginPath();
      c.roundRect(...frame, 4);
      c.stroke();
    };
    if (node !== undefined) {
      const own = this.frameOf(node);
      if (own) {
        c.strokeStyle = theme.accent;
        c.lineWidth = 1.4;
        c.beginPath();
        const join = (x0: number, y0: number, x1: number, y1: number): void => {
          c.moveTo(x0, y0);
          // Within a row over what is between.
          if (Math.abs(y0 - y1) < 1) c.bezierCurveTo(x0 + 6, y0 - 30, x1 - 6, y1 - 30, x1, y1);
          else c.bezierCurveTo(x0 + 18, y0, x1 - 18, y1, x1, y1);
        };
        for (const p of model.predecessors(node)) {
          const f = this.frameOf(p);
          if (f) join(f[0] + f[2], f[1] + f[3] / 2, own[0], own[1] + own[3] / 2);
        }
        for (const s of model.successors(node)) {
          const f = this.frameOf(s);
          if (f) join(own[0] + own[2], own[1] + own[3] / 2, f[0], f[1] + f[3] / 2);
        }
        c.stroke();
      }
      for (const n of [...model.predecessors(node), ...model.successors(node)]) ring(n, 1.2);
      ring(node, 3);
    }
    if (hovered !== undefined) ring(hovered, 1.5);
  }

  private paintLabels(rows: Row[]): void {
    const { context: c, session } = this;
    const { theme, model } = session;
    c.textBaseline = "middle";
    c.textAlign = "left";
    c.save();
    c.beginPath();
    c.rect(0, AXIS, this.width, this.height - AXIS);
    c.clip();
    for (const r of rows) {
      const header = r.lane < 0;
      c.font = `${header ? "600 " : ""}12px system-ui, sans-serif`;
      c.fillStyle = header ? theme.text : theme.faint;
      c.fillText(this.fitter.fit(r.text, LABELS - (header ? 62 : 40)), header ? 14 : 26, this.middle(r));
      if (!header || r.device < 0) continue;
      const busy = model.content.devices[r.device].busy / this.makespan;
      c.font = "11px system-ui, sans-serif";
      c.fillStyle = theme.faint;
      c.textAlign = "right";
      c.fillText(`${Math.round(100 * busy)} %`, LABELS - 10, this.middle(r));
      c.textAlign = "left";
    }
    c.restore();
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = theme.faint;
    c.fillText(`makespan ${seconds(model.content.steps.makespan)}`, 14, AXIS / 2 - 1);
  }

  private paintTooltip(): void {
    const { hovered, model, theme } = this.session;
    const frame = hovered === undefined ? undefined : this.frameOf(hovered);
    if (hovered === undefined || !frame) return;
    drawTooltip(this.context, theme, lines(model, hovered), Math.max(LABELS, frame[0]), frame[1], this.width, this.height);
  }

  protected nodeAt(x: number, y: number): number | undefined {
    if (x < LABELS || y < AXIS) return undefined;
    const { model } = this.session;
    const row = this.rows.find((r) => r.lane >= 0 && y >= this.top(r) && y < this.top(r) + r.height);
    if (!row) return undefined;
    const slack = this.timeAt(x + 3) - this.timeAt(x);
    const time = this.timeAt(x);
    const [first, last] = this.seen(row, time - slack, time + slack);
    let best: number | undefined;
    let least = Infinity;
    for (let i = first; i < Math.min(last, first + 50); ++i) {
      const s = row.steps[i];
      const away = time < model.start[s] ? model.start[s] - time : Math.max(0, time - model.end[s]);
      if (away < least) {
        least = away;
        best = model.nodeOfStep[s];
      }
    }
    return best;
  }
}

// The first of count numbers for which it holds; it holds for all after one for which it does.
function lowest(count: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
