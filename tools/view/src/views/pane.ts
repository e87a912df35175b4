// SPDX-License-Identifier: Apache-2.0
// A canvas that can be moved and zoomed, and is drawn once per frame when something has changed.
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, type ZoomTransform, zoom, zoomIdentity } from "d3-zoom";
import type { Session } from "../page/session";

// What frames took to draw, in milliseconds.
export class FrameTimes {
  readonly last: number[] = [];
  add(milliseconds: number): void {
    this.last.push(milliseconds);
    if (this.last.length > 600) this.last.shift();
  }
}

export abstract class Pane {
  readonly frames = new FrameTimes();
  protected readonly context: CanvasRenderingContext2D;
  protected width = 1; // in CSS pixels
  protected height = 1;
  protected transform: ZoomTransform = zoomIdentity;
  protected readonly behaviour: ZoomBehavior<HTMLCanvasElement, unknown>;
  private asked = false;
  private shown = false;
  private resizing = false;
  protected readonly keepsWindow: boolean = false; // what is seen stays the same when the size changes
  onMoved: () => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement, readonly session: Session, extent: [number, number]) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.behaviour = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent(extent)
      .wheelDelta((e) => -e.deltaY * (e.deltaMode === 1 ? 0.06 : 0.0025) * (e.ctrlKey ? 4 : 1))
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        this.moved(event.transform);
        this.ask();
        if (!this.resizing) this.onMoved();
      });
    select(canvas).call(this.behaviour).on("dblclick.zoom", null);
    canvas.addEventListener("pointermove", (e) => this.hover(e.offsetX, e.offsetY));
    canvas.addEventListener("pointerleave", () => this.hover(-1, -1));
    canvas.addEventListener("click", (e) => this.click(e.offsetX, e.offsetY));
    canvas.addEventListener("dblclick", (e) => {
      this.click(e.offsetX, e.offsetY);
      if (session.node !== undefined) this.show(session.node);
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  protected abstract paint(): void;
  // The node there, if there is one.
  protected abstract nodeAt(x: number, y: number): number | undefined;
  // Moves so that all is seen, or the node.
  abstract fit(): void;
  abstract show(node: number): void;
  abstract window(): number[];
  abstract setWindow(window: number[]): void;

  protected moved(transform: ZoomTransform): void {
    this.transform = transform;
  }
  protected click(x: number, y: number): void {
    this.session.selectNode(this.nodeAt(x, y));
  }
  private hover(x: number, y: number): void {
    const node = x < 0 ? undefined : this.nodeAt(x, y);
    this.canvas.style.cursor = node === undefined ? "grab" : "pointer";
    if (node === this.session.hovered) return;
    this.session.hovered = node;
    this.ask();
  }
  protected moveTo(transform: ZoomTransform): void {
    select(this.canvas).call(this.behaviour.transform, transform);
  }
  zoomBy(factor: number): void {
    select(this.canvas).call(this.behaviour.scaleBy, factor);
  }
  panBy(dx: number, dy: number): void {
    select(this.canvas).call(this.behaviour.translateBy, dx / this.transform.k, dy / this.transform.k);
  }

  setShown(shown: boolean): void {
    this.shown = shown;
    this.canvas.hidden = !shown;
    if (shown) this.resize();
  }
  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (!this.shown || clientWidth === 0) return;
    const first = this.width === 1;
    const seen = this.keepsWindow && !first ? this.window() : undefined;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.behaviour.extent([[0, 0], [clientWidth, clientHeight]]);
    this.resizing = true;
    if (first) this.fit();
    else if (seen) this.setWindow(seen);
    this.resizing = false;
    // A canvas of another size is black: it is painted before it is shown.
    this.draw();
  }

  // Draws before the next frame.
  ask(): void {
    if (this.asked || !this.shown) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }
  draw(): void {
    if (this.width === 1) return;
    const begin = performance.now();
    this.context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.context.globalAlpha = 1;
    this.paint();
    this.frames.add(performance.now() - begin);
  }
}

// A text that is not wider than it may be: its end becomes an ellipsis. Widths are measured once.
export class TextFitter {
  private readonly widths = new Map<string, number>();
  constructor(private readonly context: CanvasRenderingContext2D) {}

  fit(text: string, width: number): string {
    const per = this.widthOf(text) / Math.max(1, text.length);
    if (per * text.length <= width) return text;
    const characters = Math.floor(width / per) - 1;
    return characters < 2 ? "" : text.slice(0, characters) + "\u2026";
  }
  private widthOf(text: string): number {
    const key = `${this.context.font}|${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(key, (width = this.context.measureText(text).width));
    }
    return width;
  }
}
