// SPDX-License-Identifier: Apache-2.0
// The left side: what there is, in its colours, to be shown, dimmed and chosen.
import { colourOf } from "../draw/theme";
import { bytes } from "../model/units";
import { button, byId, element } from "./dom";
import type { Session } from "./session";

const MOST_BUFFERS = 200;

export class Sidebar {
  constructor(private readonly session: Session) {
    byId<HTMLInputElement>("critical").addEventListener("change", (e) => {
      session.critical = (e.target as HTMLInputElement).checked;
      session.changed();
    });
    this.build();
    this.refresh();
  }

  // Once: elements that stay keep the focus.
  private build(): void {
    const { session } = this;
    const { content, movedBytes } = session.model;
    byId("groups").replaceChildren(
      ...session.groups.list.map((g, i) =>
        button({ class: "row", title: `${g.name}: show, or dim` }, () => session.toggleGroup(i), element("i"), element("span", {}, g.name), element("small", {}, g.count.toLocaleString("en-US"))),
      ),
    );
    byId("devices").replaceChildren(
      ...content.devices.map((d, i) =>
        button(
          { class: "row", title: `${d.name} (${d.backend}): only what runs there` },
          () => {
            session.device = session.device === i ? undefined : i;
            session.changed();
          },
          element("span", {}, session.model.deviceName(i)),
          element("small", {}, `${Math.round((100 * d.busy) / Math.max(content.steps.makespan, 1e-300))} %`),
        ),
      ),
    );
    const order = content.buffers.map((_, b) => b).sort((a, b) => movedBytes[b] - movedBytes[a] || a - b);
    const most = Math.max(1, movedBytes[order[0]] ?? 1);
    const rows = order.slice(0, MOST_BUFFERS).flatMap((b) => {
      const row = button(
        { class: "row", "data-buffer": String(b), title: `${session.model.bufferName(b)}: where its pages are` },
        () => {
          session.buffer = b;
          session.view = "data";
          session.changed();
        },
        element("span", {}, session.model.bufferName(b)),
        element("small", {}, movedBytes[b] > 0 ? bytes(movedBytes[b]) : "\u2013"),
      );
      const bar = element("div", { class: "bar" });
      bar.style.width = `${Math.max(1, (92 * movedBytes[b]) / most)}%`;
      return movedBytes[b] > 0 ? [row, bar] : [row];
    });
    byId("buffers").replaceChildren(...rows);
    if (order.length > MOST_BUFFERS)
      byId("buffers").append(element("p", { class: "more" }, `${order.length - MOST_BUFFERS} more; search for buffer:NAME`));
    if (order.length === 0) byId("buffers").append(element("p", { class: "more" }, "none"));
  }

  refresh(): void {
    const { session } = this;
    [...byId("groups").children].forEach((row, i) => {
      row.setAttribute("aria-pressed", String(!session.hidden.has(i)));
      (row.firstElementChild as HTMLElement).style.background = colourOf(session.theme, session.groups.list[i], i);
    });
    [...byId("devices").children].forEach((row, i) => row.setAttribute("aria-current", String(session.device === i)));
    for (const row of byId("buffers").querySelectorAll<HTMLElement>(".row"))
      row.setAttribute("aria-current", String(session.buffer === Number(row.dataset.buffer)));
    byId<HTMLInputElement>("critical").checked = session.critical;
  }
}
