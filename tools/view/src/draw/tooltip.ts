// SPDX-License-Identifier: Apache-2.0
import type { Model } from "../model/model";
import { bytes, seconds } from "../model/units";
import type { Theme } from "./theme";

// What is said of a node beside the pointer.
export function lines(model: Model, node: number): string[] {
  const step = model.stepOfNode[node];
  const list = [model.shortName(node), `${model.kind(node)} ${model.isTransfer(node) ? `step ${step}` : `#${node}`}`];
  const detail = model.detail(node);
  if (detail !== "") list.push(model.isTransfer(node) ? `${detail}, ${bytes(model.transferBytes(step))}` : detail);
  if (step >= 0) list.push(`${seconds(model.end[step] - model.start[step])} from ${seconds(model.start[step])}`);
  return list;
}

export function drawTooltip(c: CanvasRenderingContext2D, theme: Theme, text: string[], x: number, y: number, width: number, height: number): void {
  c.font = "12px system-ui, sans-serif";
  const cut = text.map((t) => (t.length > 64 ? t.slice(0, 63) + "\u2026" : t));
  const w = Math.max(...cut.map((t) => c.measureText(t).width)) + 20;
  const h = 17 * cut.length + 12;
  x = Math.max(4, Math.min(x, width - w - 4));
  y = y - h - 6 < 4 ? Math.min(y + 18, height - h - 4) : y - h - 6;
  c.save();
  c.shadowColor = "rgba(0,0,0,0.28)";
  c.shadowBlur = 10;
  c.shadowOffsetY = 2;
  c.fillStyle = theme.card;
  c.beginPath();
  c.roundRect(x, y, w, h, 6);
  c.fill();
  c.restore();
  c.strokeStyle = theme.line;
  c.lineWidth = 1;
  c.stroke();
  c.textAlign = "left";
  c.textBaseline = "middle";
  cut.forEach((t, i) => {
    c.fillStyle = i === 0 ? theme.text : theme.faint;
    c.font = i === 0 ? "600 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
    c.fillText(t, x + 10, y + 14.5 + 17 * i);
  });
}
