// SPDX-License-Identifier: Apache-2.0
// frame_times.mjs CHROMIUM PAGE [WORK]: how long the page takes until it shows the graph, and what frames take to draw while
// the picture is zoomed and moved, for each view. Prints numbers, judges nothing.
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [chromium, page, work = "/tmp/pianola-frame-times"] = process.argv.slice(2);
const browser = await Browser.open(chromium, work, 1600, 1000);
const measure = `(async () => {
  const pane = pianola.views[pianola.session.view];
  const area = pane.canvas.getBoundingClientRect();
  const times = [];
  pane.fit();
  for (let i = 0; i < 240; ++i) {
    if (i % 3 === 2) pane.panBy(i % 2 ? 25 : -20, 9);
    else
      pane.canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: i % 120 < 60 ? -40 : 40, clientX: area.left + 0.6 * area.width,
                                                          clientY: area.top + 0.4 * area.height, bubbles: true, cancelable: true }));
    await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
    times.push(pane.frames.last.at(-1));
  }
  times.sort((a, b) => a - b);
  return [0.5, 0.95, 1].map((q) => times[Math.min(times.length - 1, Math.floor(q * times.length))]);
})()`;
try {
  const begin = Date.now();
  await browser.goTo(pathToFileURL(page).href);
  const nodes = await browser.value("pianola.model.nodeCount");
  console.log(`${nodes} nodes, ${await browser.value("pianola.model.from.length")} edges, shown after ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  console.log("view   median    95 %     most   (milliseconds to draw a frame)");
  for (const view of ["graph", "time", "data"]) {
    await browser.value(`pianola.session.view = "${view}"; pianola.session.changed()`);
    await browser.frame();
    const [median, most95, most] = await browser.value(measure);
    console.log(`${view.padEnd(5)} ${[median, most95, most].map((t) => t.toFixed(1).padStart(8)).join(" ")}`);
  }
} finally {
  browser.close();
}
