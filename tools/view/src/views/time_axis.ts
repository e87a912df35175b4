// SPDX-License-Identifier: Apache-2.0
// What views over time have in common: a time runs from left to right, and zooming stretches it and nothing else.
import { tickStep, ticks } from "d3-array";
import { type ZoomTransform, zoomIdentity } from "d3-zoom";
import type { Session } from "../page/session";
import { Pane } from "./pane";
import { tickText } from "./time_axis_text";

export const LABELS = 168; // width of the names of rows
export const AXIS = 30; // height

export abstract class TimePane extends Pane {
  protected scroll = 0; // pixels, of the rows
  protected readonly keepsWindow = true;

  constructor(canvas: HTMLCanvasElement, session: Session) {
    super(canvas, session, [1, 1e7]);
  }
  protected get makespan(): number {
    return Math.max(this.session.model.content.steps.makespan, 1e-12);
  }
  protected get span(): number {
    return Math.max(1, this.width - LABELS - 16);
  }
  protected abstract get contentHeight(): number;

  protected at(time: number): number {
    return this.transform.applyX(LABELS + (time / this.makespan) * this.span);
  }
  protected timeAt(x: number): number {
    return ((this.transform.invertX(x) - LABELS) / this.span) * this.makespan;
  }

  protected moved(transform: ZoomTransform): void {
    const before = this.transform;
    if (transform.k === before.k) this.scroll -= transform.y - before.y;
    this.scroll = Math.max(0, Math.min(this.scroll, this.contentHeight - (this.height - AXIS)));
    // No further than half a screen beyond either end.
    const middle = LABELS + 0.5 * this.span;
    const x = Math.max(middle - (LABELS + this.span) * transform.k, Math.min(middle - LABELS * transform.k, transform.x));
    this.transform = zoomIdentity.translate(x, transform.y).scale(transform.k);
    if (x !== transform.x) (this.canvas as unknown as { __zoom: ZoomTransform }).__zoom = this.transform;
  }
  fit(): void {
    this.scroll = 0;
    this.moveTo(zoomIdentity);
  }
  window(): number[] {
    return [this.timeAt(LABELS) / this.makespan, this.timeAt(LABELS + this.span) / this.makespan];
  }
  setWindow([from, to]: number[]): void {
    if (this.width === 1 || !(to > from)) return;
    const k = 1 / (to - from);
    this.moveTo(zoomIdentity.translate(LABELS - (LABELS + from * this.span) * k, 0).scale(k));
  }
  show(node: number): void {
    const { model } = this.session;
    const step = model.stepOfNode[node];
    if (step < 0) return;
    const length = model.end[step] - model.start[step];
    const middle = (model.start[step] + model.end[step]) / 2 / this.makespan;
    const k = Math.max(this.transform.k, Math.min(1e6, (0.06 * this.makespan) / Math.max(length, 1e-6 * this.makespan)));
    this.moveTo(zoomIdentity.translate(LABELS + this.span / 2 - (LABELS + middle * this.span) * k, 0).scale(k));
  }

  protected paintAxis(): void {
    const { context: c, session } = this;
    const { theme } = session;
    c.fillStyle = theme.background;
    c.fillRect(0, 0, this.width, AXIS);
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    const from = Math.max(0, this.timeAt(LABELS));
    const to = Math.min(this.makespan, this.timeAt(this.width));
    const count = Math.max(2, Math.floor(this.span / 110));
    const step = tickStep(from, to, count);
    for (const t of ticks(from, to, count)) {
      const x = this.at(t);
      c.strokeStyle = theme.line;
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(Math.round(x) + 0.5, AXIS - 5);
      c.lineTo(Math.round(x) + 0.5, this.height);
      c.globalAlpha = 0.55;
      c.stroke();
      c.globalAlpha = 1;
      c.fillStyle = theme.faint;
      c.fillText(tickText(t, step, to), x, AXIS / 2 - 1);
    }
    const end = this.at(this.makespan);
    if (end <= this.width) {
      c.strokeStyle = theme.faint;
      c.setLineDash([4, 3]);
      c.beginPath();
      c.moveTo(end + 0.5, AXIS);
      c.lineTo(end + 0.5, this.height);
      c.stroke();
      c.setLineDash([]);
    }
  }
  // Hides what lies beneath the names of rows.
  protected paintLabelArea(): void {
    const { context: c, session } = this;
    c.fillStyle = session.theme.background;
    c.fillRect(0, AXIS, LABELS - 1, this.height - AXIS);
    c.fillRect(0, 0, LABELS - 30, AXIS);
    c.strokeStyle = session.theme.line;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(LABELS - 0.5, AXIS);
    c.lineTo(LABELS - 0.5, this.height);
    c.moveTo(0, AXIS - 0.5);
    c.lineTo(this.width, AXIS - 0.5);
    c.stroke();
  }
}
