// SPDX-License-Identifier: Apache-2.0
// The graph: cards with names where there is room for them, a picture of pixels where there is not.
import { zoomIdentity } from "d3-zoom";
import { Raster, mixed, packed, rgb } from "../draw/raster";
import { colourOf } from "../draw/theme";
import { drawTooltip, lines } from "../draw/tooltip";
import type { Drawing } from "../layout/drawing";
import { NODE_HEIGHT, NODE_WIDTH } from "../layout/layered";
import { bytes, seconds } from "../model/units";
import type { Session } from "../page/session";
import { Pane, TextFitter } from "./pane";

// More cards than this are not drawn one by one; smaller ones nobody can read.
const MOST_CARDS = 900;
const LEAST_CARD_WIDTH = 26;
// More lines than this tell no more where there are that many.
const MOST_LINES = 30000;

export class GraphView extends Pane {
  private drawing: Drawing | undefined;
  private jumps = new Uint8Array(); // by edge: 1 if it goes on in another column
  private raster = new Raster(1, 1);
  private picture: OffscreenCanvas | undefined;
  private readonly fitter: TextFitter;
  private wanted: number[] | undefined; // window that is set before there is a drawing

  constructor(canvas: HTMLCanvasElement, session: Session) {
    super(canvas, session, [0.0005, 4]);
    this.fitter = new TextFitter(this.context);
  }

  setDrawing(drawing: Drawing): void {
    this.drawing = drawing;
    this.jumps = Uint8Array.from(drawing.from, (_, e) => (goesUp(drawing, e) ? 1 : 0));
    const least = Math.min(0.05, 0.3 * this.fittingScale());
    this.behaviour.scaleExtent([least, 4]);
    if (this.wanted) this.setWindow(this.wanted);
    else if (this.session.node !== undefined) this.show(this.session.node);
    else this.fit();
    this.ask();
  }
  get ready(): boolean {
    return this.drawing !== undefined;
  }
  // For tests and keys: where a node is on the canvas.
  positionOf(node: number): [number, number] {
    const d = this.drawing!;
    return this.transform.apply([d.x[node], d.y[node]]);
  }

  private fittingScale(): number {
    const d = this.drawing!;
    return Math.min((this.width - 40) / Math.max(1, d.width), (this.height - 40) / Math.max(1, d.height));
  }
  fit(): void {
    const d = this.drawing;
    if (!d || this.width === 1) return;
    const k = Math.min(1.4, this.fittingScale());
    this.moveTo(zoomIdentity.translate((this.width - k * d.width) / 2, (this.height - k * d.height) / 2).scale(k));
  }
  show(node: number): void {
    const d = this.drawing;
    if (!d) return;
    const k = Math.max(this.transform.k, 0.9);
    this.moveTo(zoomIdentity.translate(this.width / 2 - k * d.x[node], this.height / 2 - k * d.y[node]).scale(k));
  }
  // Where the middle is, and the scale.
  window(): number[] {
    const [x, y] = this.transform.invert([this.width / 2, this.height / 2]);
    return [x, y, this.transform.k];
  }
  setWindow(window: number[]): void {
    this.wanted = window;
    if (!this.drawing || this.width === 1 || window.length !== 3) return;
    this.wanted = undefined;
    const [x, y, k] = window;
    this.moveTo(zoomIdentity.translate(this.width / 2 - k * x, this.height / 2 - k * y).scale(k));
  }

  protected paint(): void {
    const { context: c, session } = this;
    c.fillStyle = session.theme.background;
    c.fillRect(0, 0, this.width, this.height);
    const d = this.drawing;
    if (!d) {
      c.fillStyle = session.theme.faint;
      c.font = "14px system-ui, sans-serif";
      c.textAlign = "center";
      c.fillText("laying out the graph \u2026", this.width / 2, this.height / 2);
      return;
    }
    const { k } = this.transform;
    const [left, top] = this.transform.invert([0, 0]);
    const [right, bottom] = this.transform.invert([this.width, this.height]);
    const seen: number[] = [];
    let many = k * NODE_WIDTH < LEAST_CARD_WIDTH;
    for (let n = 0; n < d.x.length && !many; ++n) {
      if (d.x[n] + NODE_WIDTH / 2 < left || d.x[n] - NODE_WIDTH / 2 > right) continue;
      if (d.y[n] + NODE_HEIGHT / 2 < top || d.y[n] - NODE_HEIGHT / 2 > bottom) continue;
      many = seen.push(n) > MOST_CARDS;
    }
    if (many) this.paintPixels(d);
    else this.paintCards(d, seen, left, top, right, bottom);
    this.paintChosen(d, many);
    this.paintTooltip(d);
  }

  private paintPixels(d: Drawing): void {
    const { session, transform } = this;
    const { theme } = session;
    const { k, x: tx, y: ty } = transform;
    const width = Math.ceil(this.width);
    const height = Math.ceil(this.height);
    if (this.raster.width !== width || this.raster.height !== height) {
      this.raster = new Raster(width, height);
      this.picture = new OffscreenCanvas(width, height);
    }
    const { raster } = this;
    const background = rgb(theme.background);
    raster.clear(packed(background));

    // Edges: those whose box meets the picture; of very many every so-manieth.
    const { from, to, x, y, firstPoint, points } = d;
    const meets = (e: number): boolean => {
      const x0 = x[from[e]] * k + tx;
      const x1 = x[to[e]] * k + tx;
      const y0 = y[from[e]] * k + ty;
      const y1 = y[to[e]] * k + ty;
      return Math.max(x0, x1) >= 0 && Math.min(x0, x1) <= width && Math.max(y0, y1) >= 0 && Math.min(y0, y1) <= height;
    };
    let count = 0;
    for (let e = 0; e < from.length; ++e) if (meets(e)) ++count;
    const stride = Math.max(1, Math.ceil(count / MOST_LINES));
    const edge = packed(rgb(theme.edge));
    const strong = packed(rgb(theme.critical));
    const alpha = Math.round(Math.min(150, 40 + 1800 * k));
    for (let e = 0; e < from.length; e += stride) {
      if (!meets(e)) continue;
      const both = session.shows(from[e]) && session.shows(to[e]);
      const critical = session.critical && both;
      const colour = critical ? strong : edge;
      const a = critical ? 230 : both && this.jumps[e] === 0 ? alpha : alpha >> 2;
      let px = x[from[e]] * k + tx;
      let py = (y[from[e]] + NODE_HEIGHT / 2) * k + ty;
      for (let p = firstPoint[e]; p < firstPoint[e + 1]; ++p) {
        const qx = points[2 * p] * k + tx;
        const qy = points[2 * p + 1] * k + ty;
        raster.line(px, py, qx, qy, colour, a);
        px = qx;
        py = qy;
      }
      raster.line(px, py, x[to[e]] * k + tx, (y[to[e]] - NODE_HEIGHT / 2) * k + ty, colour, a);
    }

    const colours = session.groups.list.map((g, i) => rgb(colourOf(theme, g, i)));
    const full = colours.map(packed);
    const dim = colours.map((rgb) => packed(mixed(rgb, background, 0.82)));
    const hit = packed(rgb(theme.hit));
    const w = Math.max(1, NODE_WIDTH * k);
    const h = Math.max(1, NODE_HEIGHT * k);
    const draw = (n: number, colour: number, grow: number): void => {
      const x0 = x[n] * k + tx - w / 2;
      const y0 = y[n] * k + ty - h / 2;
      raster.fill(x0 - grow, y0 - grow, Math.max(x0 + w, x0 + 1) + grow, Math.max(y0 + h, y0 + 1) + grow, colour);
    };
    const { of } = session.groups;
    for (let n = 0; n < x.length; ++n) if (!session.shows(n)) draw(n, dim[of[n]], 0);
    for (let n = 0; n < x.length; ++n) if (session.shows(n)) draw(n, full[of[n]], session.critical ? 1 : 0);
    for (const n of session.hits) if (session.shows(n)) draw(n, hit, h < 4 ? 1 : 0);

    const image = new ImageData(new Uint8ClampedArray(raster.pixels.buffer as ArrayBuffer), width, height);
    const target = this.picture!.getContext("2d", { alpha: false })!;
    target.putImageData(image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(this.picture!, 0, 0);
  }

  // Puts the way of an edge into the current path.
  private trace(d: Drawing, e: number): void {
    const { context: c, transform: t } = this;
    let [px, py] = t.apply([d.x[d.from[e]], d.y[d.from[e]] + NODE_HEIGHT / 2]);
    c.moveTo(px, py);
    const to = (wx: number, wy: number): void => {
      const [qx, qy] = t.apply([wx, wy]);
      const middle = (py + qy) / 2;
      c.bezierCurveTo(px, middle, qx, middle, qx, qy);
      px = qx;
      py = qy;
    };
    for (let p = d.firstPoint[e]; p < d.firstPoint[e + 1]; ++p) to(d.points[2 * p], d.points[2 * p + 1]);
    to(d.x[d.to[e]], d.y[d.to[e]] - NODE_HEIGHT / 2);
  }
  private head(d: Drawing, e: number): void {
    const { context: c, transform: t } = this;
    const size = Math.min(7, 8 * t.k);
    const [x, y] = t.apply([d.x[d.to[e]], d.y[d.to[e]] - NODE_HEIGHT / 2]);
    c.moveTo(x, y);
    c.lineTo(x - 0.6 * size, y - 1.3 * size);
    c.lineTo(x + 0.6 * size, y - 1.3 * size);
    c.closePath();
  }
  private strokeEdges(d: Drawing, edges: number[], colour: string, width: number, alpha: number): void {
    if (edges.length === 0) return;
    const { context: c } = this;
    c.globalAlpha = alpha;
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    for (const e of edges) this.trace(d, e);
    c.stroke();
    if (this.transform.k > 0.3) {
      c.beginPath();
      for (const e of edges) this.head(d, e);
      c.fill();
    }
    c.globalAlpha = 1;
  }

  private visibleEdges(d: Drawing, left: number, top: number, right: number, bottom: number): number[] {
    const list: number[] = [];
    for (let e = 0; e < d.from.length; ++e) {
      const a = d.from[e];
      const b = d.to[e];
      let low = Math.min(d.x[a], d.x[b]);
      let high = Math.max(d.x[a], d.x[b]);
      for (let p = d.firstPoint[e]; p < d.firstPoint[e + 1]; ++p) {
        low = Math.min(low, d.points[2 * p]);
        high = Math.max(high, d.points[2 * p]);
      }
      if (high < left || low > right) continue;
      if (Math.max(d.y[a], d.y[b]) < top || Math.min(d.y[a], d.y[b]) > bottom) continue;
      list.push(e);
    }
    return list;
  }

  private paintCards(d: Drawing, seen: number[], left: number, top: number, right: number, bottom: number): void {
    const { context: c, session, transform: t } = this;
    const { theme } = session;
    const { k } = t;
    const usual: number[] = [];
    const dimmed: number[] = [];
    const jumping: number[] = [];
    const critical: number[] = [];
    for (const e of this.visibleEdges(d, left, top, right, bottom)) {
      if (!session.shows(d.from[e]) || !session.shows(d.to[e])) dimmed.push(e);
      else if (session.critical) critical.push(e);
      else if (this.jumps[e] === 1) jumping.push(e);
      else usual.push(e);
    }
    const line = Math.max(0.7, Math.min(1.4, 1.6 * k));
    this.strokeEdges(d, dimmed, theme.edge, line, 0.18);
    this.strokeEdges(d, jumping, theme.edge, line, 0.3);
    this.strokeEdges(d, usual, theme.edge, line, 0.85);
    this.strokeEdges(d, critical, theme.critical, line + 0.6, 1);

    const w = NODE_WIDTH * k;
    const h = NODE_HEIGHT * k;
    const radius = Math.min(6, 7 * k);
    for (const n of seen) {
      const [cx, cy] = t.apply([d.x[n], d.y[n]]);
      const x = cx - w / 2;
      const y = cy - h / 2;
      const colour = colourOf(theme, session.groups.list[session.groups.of[n]], session.groups.of[n]);
      const shown = session.shows(n);
      c.globalAlpha = shown ? 1 : 0.22;
      c.beginPath();
      c.roundRect(x, y, w, h, radius);
      // A card too small for text is all colour.
      c.fillStyle = h < 12 ? colour : theme.card;
      c.fill();
      if (h >= 12) {
        c.save();
        c.clip();
        c.fillStyle = colour;
        const transfer = session.model.isTransfer(n);
        c.globalAlpha *= transfer ? 0.16 : 0.08;
        c.fillRect(x, y, w, h);
        c.globalAlpha = shown ? 1 : 0.22;
        c.fillRect(x, y, Math.max(3, 5 * k), h);
        c.restore();
        c.strokeStyle = session.isHit[n] ? theme.hit : session.critical && shown ? theme.critical : colour;
        c.lineWidth = session.isHit[n] ? 2.5 : 1;
        c.globalAlpha = shown ? (session.isHit[n] || session.critical ? 1 : 0.55) : 0.22;
        c.stroke();
        c.globalAlpha = shown ? 1 : 0.3;
        this.paintText(n, x, y, w, h, k);
      } else if (session.isHit[n]) {
        c.strokeStyle = theme.hit;
        c.lineWidth = 2;
        c.stroke();
      }
    }
    c.globalAlpha = 1;
  }

  private paintText(n: number, x: number, y: number, w: number, h: number, k: number): void {
    const { context: c, session } = this;
    const { theme, model } = session;
    const inner = x + Math.max(6, 13 * k);
    const room = w - Math.max(6, 13 * k) - Math.max(3, 8 * k);
    const two = k >= 0.62;
    const size = Math.max(8.5, Math.min(26, 13 * k));
    c.textBaseline = "middle";
    c.textAlign = "left";
    c.font = `600 ${size.toFixed(1)}px system-ui, sans-serif`;
    c.fillStyle = theme.text;
    c.fillText(this.fitter.fit(model.shortName(n), room), inner, y + (two ? 0.34 : 0.52) * h);
    if (!two) return;
    const step = model.stepOfNode[n];
    c.font = `${(10.5 * k).toFixed(1)}px system-ui, sans-serif`;
    c.fillStyle = theme.faint;
    const right = model.isTransfer(n) ? bytes(model.transferBytes(step)) : step >= 0 ? seconds(model.end[step] - model.start[step]) : "";
    const taken = right === "" ? 0 : c.measureText(right).width + 8 * k;
    c.fillText(this.fitter.fit(model.detail(n), room - taken), inner, y + 0.72 * h);
    if (right === "") return;
    c.textAlign = "right";
    c.fillText(right, x + w - 8 * k, y + 0.72 * h);
  }

  // The chosen node or edge, with what it is joined with; and what the pointer is at.
  private paintChosen(d: Drawing, pixels: boolean): void {
    const { context: c, session } = this;
    const { theme, node, edge, hovered } = session;
    const joined: number[] = [];
    for (let e = 0; e < d.from.length && (node !== undefined || edge); ++e) {
      if (d.from[e] === node || d.to[e] === node || (edge && d.from[e] === edge.from && d.to[e] === edge.to)) joined.push(e);
    }
    this.strokeEdges(d, joined, theme.accent, 2, 1);
    const ring = (n: number, colour: string, width: number): void => {
      const [x, y] = this.positionOf(n);
      const w = Math.max(pixels ? 7 : 0, NODE_WIDTH * this.transform.k) + 4;
      const h = Math.max(pixels ? 7 : 0, NODE_HEIGHT * this.transform.k) + 4;
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.beginPath();
      c.roundRect(x - w / 2, y - h / 2, w, h, Math.min(7, h / 3));
      c.stroke();
    };
    for (const e of joined) for (const n of [d.from[e], d.to[e]]) if (n !== node) ring(n, theme.accent, 1.2);
    if (node !== undefined) ring(node, theme.accent, 3);
    if (hovered !== undefined && hovered !== node) ring(hovered, theme.accent, 1.5);
  }

  private paintTooltip(d: Drawing): void {
    const { hovered, model, theme } = this.session;
    if (hovered === undefined || hovered >= d.x.length) return;
    const [x, y] = this.positionOf(hovered);
    drawTooltip(this.context, theme, lines(model, hovered), x, y - (NODE_HEIGHT / 2) * this.transform.k, this.width, this.height);
  }

  protected nodeAt(px: number, py: number): number | undefined {
    const d = this.drawing;
    if (!d) return undefined;
    const { k } = this.transform;
    const [x, y] = this.transform.invert([px, py]);
    // Beside a small node is near enough.
    const w = Math.max(NODE_WIDTH / 2, 5 / k);
    const h = Math.max(NODE_HEIGHT / 2, 5 / k);
    let best: number | undefined;
    let least = Infinity;
    for (let n = 0; n < d.x.length; ++n) {
      const dx = Math.abs(d.x[n] - x);
      const dy = Math.abs(d.y[n] - y);
      if (dx <= w && dy <= h && dx + dy < least) {
        least = dx + dy;
        best = n;
      }
    }
    return best;
  }

  protected click(px: number, py: number): void {
    const node = this.nodeAt(px, py);
    if (node === undefined) {
      const edge = this.edgeAt(px, py);
      if (edge !== undefined) return this.session.selectEdge({ from: this.drawing!.from[edge], to: this.drawing!.to[edge] });
    }
    this.session.selectNode(node);
  }

  private edgeAt(px: number, py: number): number | undefined {
    const d = this.drawing;
    if (!d || this.transform.k * NODE_WIDTH < LEAST_CARD_WIDTH) return undefined;
    const [left, top] = this.transform.invert([px - 6, py - 6]);
    const [right, bottom] = this.transform.invert([px + 6, py + 6]);
    const near = this.visibleEdges(d, left, top, right, bottom);
    const { context: c } = this;
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.lineWidth = 9;
    const found = near.find((e) => {
      c.beginPath();
      this.trace(d, e);
      return c.isPointInStroke(px, py);
    });
    c.restore();
    return found;
  }
}

// All edges lead down, but for those that go on at the top of the next column.
function goesUp(d: Drawing, e: number): boolean {
  let y = d.y[d.from[e]];
  for (let p = d.firstPoint[e]; p < d.firstPoint[e + 1]; ++p) {
    if (d.points[2 * p + 1] < y) return true;
    y = d.points[2 * p + 1];
  }
  return d.y[d.to[e]] < y;
}
