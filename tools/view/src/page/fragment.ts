// SPDX-License-Identifier: Apache-2.0
// The part of the address after "#": all that is chosen, so that a link shows the same.
import type { Session, ViewName } from "./session";

// The part of the picture that is seen, as a view says it: numbers.
export type Window = number[];

export function toFragment(session: Session, windows: Partial<Record<ViewName, Window>>): string {
  const { model, groups } = session;
  const f = new URLSearchParams();
  if (session.view !== "graph") f.set("view", session.view);
  if (session.node !== undefined) f.set("node", model.idOf(session.node));
  if (session.edge) f.set("edge", `${model.idOf(session.edge.from)}-${model.idOf(session.edge.to)}`);
  if (session.buffer !== undefined) f.set("buffer", String(session.buffer));
  if (session.hidden.size > 0) f.set("hide", [...session.hidden].map((g) => groups.list[g].name).join("|"));
  if (session.device !== undefined) f.set("device", String(session.device));
  if (session.critical) f.set("critical", "1");
  if (session.query !== "") f.set("find", session.query);
  const window = windows[session.view];
  if (window) f.set("at", window.map((n) => Number(n.toPrecision(6))).join(","));
  return f.toString();
}

// Takes what it understands of the text, which may be anything.
export function fromFragment(text: string, session: Session): Window | undefined {
  const { model, groups } = session;
  const f = new URLSearchParams(text.replace(/^#/, ""));
  const view = f.get("view");
  session.view = view === "time" || view === "data" ? view : "graph";
  session.node = model.nodeOf(f.get("node") ?? "");
  const ends = (f.get("edge") ?? "").split("-").map((id) => model.nodeOf(id));
  session.edge = undefined;
  if (ends.length === 2 && ends[0] !== undefined && ends[1] !== undefined && session.node === undefined)
    session.edge = { from: ends[0], to: ends[1] };
  session.buffer = below(f.get("buffer"), model.content.buffers.length);
  session.device = below(f.get("device"), model.content.devices.length);
  const hide = new Set((f.get("hide") ?? "").split("|"));
  session.hidden = new Set(groups.list.flatMap((g, i) => (hide.has(g.name) ? [i] : [])));
  session.critical = f.get("critical") === "1";
  session.setQuery(f.get("find") ?? "");
  const at = (f.get("at") ?? "").split(",").map(Number);
  return at.length >= 2 && at.every(Number.isFinite) ? at : undefined;
}

function below(text: string | null, count: number): number | undefined {
  return text !== null && /^\d+$/.test(text) && Number(text) < count ? Number(text) : undefined;
}
