// SPDX-License-Identifier: Apache-2.0
// A page in headless Chromium, spoken to by its developer tools' protocol over a pipe: no port, no package.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

const PATIENCE = 120000; // milliseconds: far above what anything needs on a loaded machine

export class Browser {
  #process;
  #pending = new Map();
  #next = 1;
  #session;
  errors = []; // what the page complained of
  requests = []; // addresses that it asked for

  static async open(chromium, profile, width = 1500, height = 900) {
    const browser = new Browser();
    mkdirSync(profile, { recursive: true });
    browser.#process = spawn(
      chromium,
      ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
       "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`, `--window-size=${width},${height}`],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    let text = "";
    browser.#process.stdio[4].on("data", (piece) => {
      text += piece;
      for (let end; (end = text.indexOf("\0")) >= 0; text = text.slice(end + 1)) browser.#receive(JSON.parse(text.slice(0, end)));
    });
    browser.#process.on("exit", () => {
      for (const { reject } of browser.#pending.values()) reject(new Error("the browser has ended"));
    });
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    browser.#session = (await browser.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await browser.send(`${domain}.enable`);
    await browser.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    return browser;
  }

  #receive(message) {
    if (message.id !== undefined) {
      const { resolve, reject } = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) reject(new Error(JSON.stringify(message.error)));
      else resolve(message.result);
    } else if (message.method === "Runtime.exceptionThrown") {
      this.errors.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
    } else if (message.method === "Log.entryAdded" && message.params.entry.level === "error") {
      this.errors.push(message.params.entry.text);
    } else if (message.method === "Network.requestWillBeSent") {
      this.requests.push(message.params.request.url);
    }
  }

  send(method, params = {}) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} is not answered`)), PATIENCE);
      const done = (f) => (value) => {
        clearTimeout(late);
        f(value);
      };
      this.#pending.set(id, { resolve: done(resolve), reject: done(reject) });
    });
    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    return answer;
  }

  async goTo(url) {
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url });
    await this.until("window.pianola && pianola.views.graph.ready");
  }
  // Value of an expression of the page.
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }
  async until(expression) {
    const last = Date.now() + PATIENCE;
    while (!(await this.value(expression).catch(() => false))) {
      if (Date.now() > last) throw new Error(`never became true: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
  frame() {
    return this.value("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))");
  }
  async click(x, y) {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
    await this.frame();
  }
  // In the middle of an element.
  async clickOn(selector) {
    const [x, y] = await this.value(
      `(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`,
    );
    await this.click(x, y);
  }
  async key(key) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
    await this.frame();
  }
  async type(text) {
    await this.send("Input.insertText", { text });
    await this.frame();
  }
  async wheel(x, y, deltaY) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
    await this.frame();
  }
  async screenshot(path) {
    await this.frame();
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }
  close() {
    this.#process.kill("SIGKILL");
  }
}
