// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "./layout/drawing";
import type { Content } from "./model/content";
import { Model } from "./model/model";
import { bytes, counted, seconds } from "./model/units";
import { Details } from "./page/details";
import { byId, element } from "./page/dom";
import { fromFragment, toFragment } from "./page/fragment";
import { actionOf, table } from "./page/keys";
import { Session, type ViewName } from "./page/session";
import { Sidebar } from "./page/sidebar";
import { DataView } from "./views/data_view";
import { GraphView } from "./views/graph_view";
import { TimeView } from "./views/time_view";

declare const LAYOUT_WORKER: string; // source of layout/worker.ts, put in by build.mjs

const model = new Model(JSON.parse(byId("content").textContent!) as Content);
const session = new Session(model);
const views = {
  graph: new GraphView(byId("graph"), session),
  time: new TimeView(byId("time"), session),
  data: new DataView(byId("data"), session),
};
const names = ["graph", "time", "data"] as const;
const sidebar = new Sidebar(session);
const details = new Details(session, goTo);
let hit = -1; // place in session.hits

function goTo(node: number): void {
  session.selectNode(node);
  views[session.view].show(node);
}

// What is seen while nothing was moved needs no place in the link.
let movedByUser = false;
let fragment = "";
let writing = 0;
function writeFragment(): void {
  clearTimeout(writing);
  writing = window.setTimeout(() => {
    const text = toFragment(session, movedByUser ? { [session.view]: views[session.view].window() } : {});
    if (text === fragment) return;
    fragment = text;
    history.replaceState(null, "", `#${text}`);
  }, 150);
}

function readFragment(): void {
  const window = fromFragment(location.hash, session);
  byId<HTMLInputElement>("search").value = session.query;
  fragment = location.hash.slice(1);
  session.changed();
  if (window) queueMicrotask(() => views[session.view].setWindow(window));
  else if (session.node !== undefined) queueMicrotask(() => views[session.view].show(session.node!));
}

let view: ViewName | undefined;
function refresh(): void {
  if (session.buffer === undefined && session.view === "data" && model.content.buffers.length > 0)
    session.buffer = model.movedBytes.indexOf(model.movedBytes.reduce((a, b) => Math.max(a, b)));
  if (view !== session.view) {
    view = session.view;
    for (const name of names) {
      views[name].setShown(name === view);
      byId(`tab-${name}`).setAttribute("aria-selected", String(name === view));
    }
  }
  document.documentElement.classList.toggle("dark", session.theme.dark);
  sidebar.refresh();
  details.refresh();
  const found = session.query.trim() === "" ? "" : session.hits.length === 0 ? "nothing" : hit >= 0 ? `${hit + 1} of ${session.hits.length}` : `${session.hits.length.toLocaleString("en-US")}`;
  byId("found").textContent = found;
  for (const name of names) views[name].ask();
  writeFragment();
}

function nextHit(by: number): void {
  if (session.hits.length === 0) return;
  hit = hit < 0 && by < 0 ? session.hits.length - 1 : (hit + by + session.hits.length) % session.hits.length;
  goTo(session.hits[hit]);
}

// To a neighbour of the chosen node. Of several the one that is critical, else the first.
function step(neighbours: ArrayLike<number>): void {
  const list = Array.from(neighbours);
  if (list.length > 0) goTo(list.find((n) => model.isCritical(n)) ?? list[0]);
}
function alongLane(by: number): void {
  const at = model.stepOfNode[session.node!];
  const { lane } = model.content.steps;
  if (at < 0) return;
  for (let s = at + by; s >= 0 && s < lane.length; s += by) if (lane[s] === lane[at]) return goTo(model.nodeOfStep[s]);
}

const actions: Record<string, () => void> = {
  search: () => byId<HTMLInputElement>("search").focus(),
  next: () => nextHit(1),
  previous: () => nextHit(-1),
  before: () => (session.node === undefined ? views[session.view].panBy(0, 90) : step(model.predecessors(session.node))),
  after: () => (session.node === undefined ? views[session.view].panBy(0, -90) : step(model.successors(session.node))),
  left: () => (session.node === undefined ? views[session.view].panBy(90, 0) : alongLane(-1)),
  right: () => (session.node === undefined ? views[session.view].panBy(-90, 0) : alongLane(1)),
  nearer: () => views[session.view].zoomBy(1.4),
  further: () => views[session.view].zoomBy(1 / 1.4),
  fit: () => views[session.view].fit(),
  show: () => session.node !== undefined && views[session.view].show(session.node),
  critical: () => {
    session.critical = !session.critical;
    session.changed();
  },
  transfers: () => {
    const group = session.groups.list.findIndex((g) => !g.kernel && g.name === "transfer");
    if (group >= 0) session.toggleGroup(group);
  },
  dark: () => session.setDark(!session.theme.dark),
  fold: () => document.body.classList.toggle("folded"),
  clear: () => {
    if (session.node !== undefined || session.edge) return session.selectNode(undefined);
    session.hidden.clear();
    session.device = undefined;
    session.critical = false;
    find("");
  },
  help: () => byId<HTMLDialogElement>("keys").showModal(),
};
for (const name of names)
  actions[name] = () => {
    session.view = name;
    session.changed();
  };

function find(text: string): void {
  byId<HTMLInputElement>("search").value = text;
  hit = -1;
  session.setQuery(text);
}

function listen(): void {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || byId<HTMLDialogElement>("keys").open) return;
    const target = e.target as HTMLElement;
    if (target.id === "search") {
      if (e.key === "Enter") nextHit(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape") {
        find("");
        target.blur();
      }
      return;
    }
    if (e.key === "Enter" && target.tagName === "BUTTON") return;
    const action = actionOf(e.key);
    if (action === undefined) return;
    e.preventDefault();
    actions[action]();
  });
  const search = byId<HTMLInputElement>("search");
  search.addEventListener("input", () => find(search.value));
  byId("theme").addEventListener("click", actions.dark);
  byId("help").addEventListener("click", actions.help);
  byId("zoom-in").addEventListener("click", actions.nearer);
  byId("zoom-out").addEventListener("click", actions.further);
  byId("zoom-fit").addEventListener("click", actions.fit);
  for (const name of names) {
    byId(`tab-${name}`).addEventListener("click", actions[name]);
    views[name].onMoved = () => {
      movedByUser = true;
      writeFragment();
    };
  }
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== fragment) readFragment();
  });
}

function describe(): void {
  const { content } = model;
  const moved = model.movedBytes.reduce((a, b) => a + b, 0);
  const transfers = model.nodeCount - model.commandCount;
  document.title = `${content.title} \u2013 Pianola`;
  byId("title").textContent = content.title;
  byId("summary").textContent =
    `${counted(model.commandCount, "command")}, ${counted(transfers, "transfer")} of ${bytes(moved)}, makespan ${seconds(content.steps.makespan)} (${content.timed}); plan: ${content.planned}`;
  byId("summary").title = byId("summary").textContent!;
  byId("key-table").replaceChildren(
    ...Object.values(table).map((k) => element("tr", {}, element("td", {}, element("kbd", {}, k.shown)), element("td", {}, k.does))),
  );
}

function layOut(): void {
  const worker = new Worker(URL.createObjectURL(new Blob([LAYOUT_WORKER], { type: "text/javascript" })));
  worker.onmessage = (event: MessageEvent<Drawing>) => {
    views.graph.setDrawing(event.data);
    movedByUser = false;
    worker.terminate();
  };
  worker.postMessage({ nodes: model.nodeCount, from: model.from, to: model.to });
}

session.setDark(matchMedia("(prefers-color-scheme: dark)").matches);
session.onChange(refresh);
describe();
listen();
readFragment();
layOut();
// For tests.
Object.assign(window, { pianola: { model, session, views } });
