// SPDX-License-Identifier: Apache-2.0
// browser_test.mjs PIANOLA CHROMIUM WORK: what the page of `pianola view` does in a browser. Leaves screenshots in WORK.
// Exit code 77: there is no browser.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";
import { stencilGraph } from "./make_graph.mjs";

const [pianola, chromium, work] = process.argv.slice(2);
if (!existsSync(chromium)) {
  console.log("skipped: there is no chromium; tools/install-packages.sh installs it");
  process.exit(77);
}
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

function page(name, graph) {
  writeFileSync(`${work}/${name}.graph.json`, JSON.stringify(graph));
  execFileSync(pianola, ["view", `${work}/${name}.graph.json`, "-o", `${work}/${name}.html`]);
  return pathToFileURL(`${work}/${name}.html`).href;
}

// Ends with this program.
const servers = [];
async function serve(name, graph) {
  writeFileSync(`${work}/${name}.graph.json`, JSON.stringify(graph));
  const server = spawn(pianola, ["view", `${work}/${name}.graph.json`, "--serve"], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  let address = "";
  for await (const piece of server.stdout) if ((address += piece).endsWith("\n")) break;
  return { address: address.trim(), end: () => new Promise((resolve) => server.on("exit", resolve).kill("SIGTERM")) };
}

const browser = await Browser.open(chromium, `${work}/profile`);
let failed = 0;
let passed = 0;
async function check(name, f) {
  try {
    await f();
    assert.deepEqual(browser.errors, [], "the page complained");
    ++passed;
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    browser.errors = [];
    console.log(`NOT ok: ${name}\n${error.stack}`);
    await browser.screenshot(`${work}/failed-${failed}.png`).catch(() => {});
  }
}
const text = (selector) => browser.value(`document.querySelector(${JSON.stringify(selector)}).textContent`);
// Where a node is in the window.
const place = (node) =>
  browser.value(`(() => { const v = pianola.views[pianola.session.view], b = v.canvas.getBoundingClientRect(), [x, y] = v.positionOf(${node}); return [b.left + x, b.top + y]; })()`);
const hash = async () => {
  await new Promise((r) => setTimeout(r, 250));
  return browser.value("location.hash");
};

try {
  const small = page("small", stencilGraph(4, 4, 2));
  await browser.goTo(small);

  await check("a page asks for nothing but itself", async () => {
    const others = browser.requests.filter((r) => !/^(file|blob|data|about):/.test(r));
    assert.deepEqual(others, []);
    assert.match(await text("#summary"), /^20 commands, \d+ transfers? of .*, makespan .* \(simulated\); plan: planned for this page$/);
  });
  // Seen by an observer behind the page's own, in the frame in which the size has changed.
  await check("a picture of another size is painted before it is shown", async () => {
    const pixel = await browser.value(`new Promise((done) => {
      const { canvas } = pianola.views[pianola.session.view], { style } = canvas.parentElement;
      let seen = 0;
      new ResizeObserver((_, observer) => {
        if (seen++ === 0) { style.maxWidth = "600px"; return; }
        observer.disconnect();
        done([canvas.clientWidth, ...canvas.getContext("2d").getImageData(2, 2, 1, 1).data]);
        style.maxWidth = "";
      }).observe(canvas);
    })`);
    assert.equal(pixel[0], 600);
    assert.ok(pixel[1] > 200 && pixel[4] === 255, `nothing is painted: ${pixel}`);
  });
  await check("a click on a node shows what it is, and why it comes after others", async () => {
    await browser.click(...(await place(4)));
    assert.equal(await text("#details h3"), "blur");
    assert.match(await text("#details"), /Needs.*reads: \[0,16385\).*v.*writes, old contents not needed/s);
    assert.match(await text("#details"), /first writes, then reads pages u \[0,1\)/);
    assert.match(await hash(), /node=c4/);
  });
  await check("a click on a neighbour leads there, and a click beside everything chooses nothing", async () => {
    await browser.clickOn('#details [data-node="c0"]');
    assert.equal(await browser.value("pianola.session.node"), 0);
    await browser.key("0");
    const free = await browser.value("(() => { const b = document.getElementById('graph').getBoundingClientRect(); return [b.left + 12, b.top + 12]; })()");
    await browser.click(...free);
    assert.equal(await browser.value("pianola.session.node === undefined"), true);
    assert.equal(await text("#details"), "");
  });
  await check("a click on an edge tells why it is there", async () => {
    const [x0, y0] = await place(0);
    const [x1, y1] = await place(4);
    const gap = await browser.value("23 * pianola.views.graph.window()[2]");
    assert.ok(y1 - y0 > 2 * gap);
    await browser.click((x0 + x1) / 2, (y0 + gap + y1 - gap) / 2);
    assert.match(await text("#details h3"), /^Why does .* wait for .*\?$/);
  });
  await check("keys walk along edges and lanes", async () => {
    await browser.value("document.activeElement.blur()");
    await browser.key("Escape");
    await browser.click(...(await place(4)));
    await browser.key("ArrowUp");
    assert.ok((await browser.value("pianola.session.node")) < 4);
    await browser.key("ArrowDown");
    assert.ok((await browser.value("pianola.session.node")) >= 4);
    await browser.key("2");
    assert.equal(await browser.value("document.getElementById('time').hidden"), false);
    const before = await browser.value("pianola.model.stepOfNode[pianola.session.node]");
    await browser.key("ArrowRight");
    assert.ok((await browser.value("pianola.model.stepOfNode[pianola.session.node]")) > before);
    await browser.key("1");
    await browser.key("Escape");
  });
  await check("search finds, dims the rest, and goes from hit to hit", async () => {
    await browser.key("/");
    await browser.type("sharpen device:1");
    assert.equal(await text("#found"), "4");
    assert.equal(await browser.value("pianola.session.shown.reduce((a, b) => a + b)"), 4);
    await browser.key("Enter");
    const first = await browser.value("pianola.session.node");
    await browser.key("Enter");
    assert.equal(await text("#found"), "2 of 4");
    assert.notEqual(await browser.value("pianola.session.node"), first);
    assert.match(await hash(), /find=sharpen/);
    await browser.key("Escape");
    assert.equal(await browser.value("pianola.session.shown.every((s) => s === 1)"), true);
  });
  await check("filters dim kinds, devices and what is not on the critical path", async () => {
    const shown = () => browser.value("pianola.session.shown.reduce((a, b) => a + b)");
    const all = await shown();
    await browser.clickOn("#groups .row:last-child");
    const transfers = await browser.value("pianola.model.nodeCount - pianola.model.commandCount");
    assert.ok(transfers > 0);
    assert.equal(await shown(), all - transfers);
    assert.equal(await browser.value("document.querySelector('#groups .row:last-child').getAttribute('aria-pressed')"), "false");
    await browser.clickOn("#groups .row:last-child");
    await browser.clickOn("#devices .row");
    assert.equal(await shown(), await browser.value("pianola.model.deviceOf.filter((d) => d === 0).length"));
    await browser.clickOn("#devices .row");
    await browser.value("document.activeElement.blur()");
    await browser.key("c");
    assert.equal(await shown(), await browser.value("pianola.model.content.steps.critical.length"));
    await browser.key("c");
    assert.equal(await shown(), all);
  });
  await check("the lanes show when a command runs", async () => {
    await browser.clickOn("#tab-time");
    await browser.frame();
    await browser.click(...(await place(9)));
    assert.equal(await browser.value("pianola.session.node"), 9);
    const seen = await browser.value("pianola.views.time.window()");
    const [x, y] = await place(9);
    await browser.wheel(x, y, -300);
    const nearer = await browser.value("pianola.views.time.window()");
    assert.ok(nearer[1] - nearer[0] < 0.8 * (seen[1] - seen[0]), `${seen} ${nearer}`);
    const [after] = await place(9);
    assert.ok(Math.abs(after - x) < 3, "zooming keeps what is below the pointer");
  });
  await check("the page map shows a buffer in each memory", async () => {
    await browser.clickOn("#buffers .row");
    assert.equal(await browser.value("pianola.session.view"), "data");
    const memories = await browser.value("pianola.views.data.map.memories.map((m) => m.memory)");
    assert.deepEqual(memories, [1, 2]);
  });
  await check("dark and light differ, and help tells the keys", async () => {
    const was = await browser.value("document.documentElement.classList.contains('dark')");
    await browser.clickOn("#theme");
    assert.equal(await browser.value("document.documentElement.classList.contains('dark')"), !was);
    await browser.clickOn("#theme");
    await browser.value("document.activeElement.blur()");
    await browser.key("?");
    assert.match(await text("#keys"), /next hit.*Licences.*d3-zoom/s);
    const document = readFileSync(new URL("../../../docs/view.md", import.meta.url), "utf8");
    const rows = await browser.value("[...document.querySelectorAll('#key-table tr')].map((r) => [...r.children].map((c) => c.textContent))");
    for (const [key, does] of rows) assert.ok(document.includes(`| \`${key}\` | ${does} |`), `docs/view.md does not tell of ${key}: ${does}`);
    await browser.key("Escape");
    await browser.value("document.getElementById('keys').close()");
  });
  await check("a link shows what it was made of", async () => {
    await browser.goTo(`${small}#view=time&node=c6&hide=transfer&critical=1&find=blur&at=0.25%2C0.5`);
    await browser.frame();
    assert.deepEqual(await browser.value("[pianola.session.view, pianola.session.node, pianola.session.critical, pianola.session.query]"), ["time", 6, true, "blur"]);
    const at = await browser.value("pianola.views.time.window()");
    assert.ok(Math.abs(at[0] - 0.25) < 0.01 && Math.abs(at[1] - 0.5) < 0.01, String(at));
    await browser.goTo(`${small}#node=c999&edge=x-y&buffer=77&at=a,b&view=none`);
    assert.equal(await browser.value("pianola.session.view"), "graph");
  });
  await check("hostile names are text", async () => {
    const graph = stencilGraph(1, 2, 2);
    const hostile = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
    graph.commands[0].label = graph.buffers[0].label = graph.topology.devices[0].name = hostile;
    await browser.goTo(page("hostile", graph) + "#node=c0");
    await browser.frame();
    assert.match(await text("#details .full, #details h3"), /script/);
    assert.equal(await browser.value("document.querySelectorAll('img').length"), 0);
    assert.match(await browser.value("document.title"), /^hostile\.graph\.json/);
  });
  await check("tens of thousands of nodes are drawn", async () => {
    await browser.goTo(page("large", stencilGraph(100, 100, 4)));
    await browser.frame();
    assert.ok((await browser.value("pianola.model.nodeCount")) > 10000);
    await browser.screenshot(`${work}/large-graph.png`);
    await browser.key("2");
    await browser.screenshot(`${work}/large-time.png`);
    await browser.key("3");
    await browser.screenshot(`${work}/large-data.png`);
    await browser.key("1");
    await browser.click(...(await place(5000)));
    assert.equal(await browser.value("pianola.session.node"), 5000);
  });
  await check("where the program serves the page, it tells what would help", async () => {
    const server = await serve("served", stencilGraph(4, 4, 2));
    const before = browser.requests.length;
    const asked = () => browser.requests.slice(before).filter((r) => r.includes("/explain?"));
    await browser.goTo(server.address);
    const transfer = await browser.value("pianola.model.commandCount");
    const step = await browser.value(`pianola.model.stepOfNode[${transfer}]`);
    const told = JSON.parse(execFileSync(pianola, ["explain", `${work}/served.graph.json`, "--transfer", `${step}`, "--json"]));
    assert.ok(told.suggestions.length > 0);
    await browser.click(...(await place(transfer)));
    assert.match(await text("#details"), /What would help/);
    await browser.until("document.querySelector('#suggestions .item')");
    assert.match(asked().at(-1), new RegExp(`/explain\\?transfer=${step}&page=`));
    assert.equal(await text("#suggestions .item b"), told.suggestions[0].text);
    assert.match(await text("#suggestions"), /pages of .*\u2212\d+ KiB.*each was tried by planning again/);
    assert.equal(await text("#details > :last-child h2"), "What would help");
    await browser.screenshot(`${work}/served.png`);

    await browser.goTo(`${server.address}#edge=c0-c4`);
    await browser.until("document.querySelector('#suggestions').textContent.endsWith('gains anything')");
    assert.match(asked().at(-1), /explain\?edge=c0-c4&page=/);
    const all = asked().length;
    await browser.key("d");
    assert.match(await text("#suggestions"), /gains anything/);
    assert.equal(asked().length, all, "what is known is not asked for again");
    await browser.key("d");
    assert.deepEqual(browser.requests.slice(before).filter((r) => !r.startsWith(server.address) && !/^(blob|data|about):/.test(r)), []);

    const complaint = async (node) => {
      await browser.value(`pianola.session.selectNode(${node})`);
      await browser.until("document.querySelector('#suggestions .bad')");
      browser.errors = []; // Chromium tells of the status, too.
      return text("#suggestions .bad");
    };
    writeFileSync(`${work}/served.graph.json`, JSON.stringify(stencilGraph(5, 4, 2)));
    assert.equal(await complaint(1), "the files have changed since this page was made: load it again");
    await browser.goTo(server.address);
    assert.match(await text("#summary"), /^24 commands/);
    assert.equal(await server.end(), 0);
    assert.match(await complaint(1), /^pianola does not answer/);
  });
  await check("a page in a file asks nobody", async () => {
    await browser.goTo(`${small}#node=c4`);
    assert.match(await text("#details"), /Needs/);
    assert.equal(await browser.value("document.querySelector('#suggestions')"), null);
  });
  await check("hostile names are text in what would help as well", async () => {
    const graph = stencilGraph(4, 4, 2);
    const hostile = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
    for (const b of graph.buffers) b.label = hostile;
    for (const c of graph.commands) c.label = hostile;
    const server = await serve("served-hostile", graph);
    await browser.goTo(server.address);
    await browser.value("pianola.session.selectNode(pianola.model.commandCount)");
    await browser.until("document.querySelector('#suggestions .item')");
    assert.match(await text("#suggestions .item"), /<img src=x/);
    assert.equal(await browser.value("document.querySelectorAll('img').length"), 0);
    assert.match(await browser.value("document.title"), /^served-hostile/);
  });
} finally {
  for (const s of servers) s.kill("SIGKILL");
  browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
