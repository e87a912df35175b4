// SPDX-License-Identifier: Apache-2.0
// build.mjs PAGE [PIECES]: bundles src/ into one HTML file that loads nothing, and writes the same as a C++ source.
// build.mjs --tests FOLDER: bundles each test in test/ for node's test runner.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, write: false, minify: true, target: "es2022", charset: "ascii", logLevel: "warning" };

async function bundle(entry, options = {}) {
  const result = await build({ ...common, entryPoints: [entry], format: "iife", metafile: true, ...options });
  return { text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

// Name, version and licence of every package that a bundle has something of.
function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  return [...names].sort().map((name) => {
    const folder = `node_modules/${name}/`;
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    if (!file) throw new Error(`${name} comes without its licence`);
    const { version } = JSON.parse(readFileSync(folder + "package.json", "utf8"));
    return `${name} ${version}\n\n${readFileSync(folder + file, "utf8").trim()}\n`;
  });
}

const escaped = (text) => text.replace(/[&<>]|[^\x00-\x7f]/gu, (c) => `&#${c.codePointAt(0)};`);
// Within a script or style element nothing may look like its end.
const enclosed = (text, element) => text.replace(new RegExp(`</${element}`, "gi"), `<\\/${element}`).trim();

async function page() {
  const worker = await bundle("src/layout/worker.ts");
  const main = await bundle("src/main.ts", { define: { LAYOUT_WORKER: JSON.stringify(worker.text) } });
  const style = await bundle("src/page/style.css", { loader: { ".css": "css" } });
  const script = enclosed(main.text, "script");
  const hash = createHash("sha256").update(script).digest("base64");
  // Nothing but this script runs, and nothing is loaded from anywhere, whatever the data holds. Where the program serves the
  // page, it lets it ask the program (tools/pianola/view/page.cpp).
  const policy =
    `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:@PIANOLA_POLICY@`;
  const parts = {
    POLICY: policy,
    STYLE: enclosed(style.text, "style"),
    LICENCES: escaped(licences([...main.inputs, ...worker.inputs]).join("\n\n")),
    SCRIPT: script,
  };
  return readFileSync("src/page/page.html", "utf8").replace(/@(POLICY|STYLE|LICENCES|SCRIPT)@/g, (_, name) => parts[name]);
}

// String literals may not be longer than compilers must take.
function pieces(html) {
  const end = "pianola_page";
  if (html.includes(`)${end}"`)) throw new Error("the page holds what ends its own literal");
  const list = [];
  for (let at = 0; at < html.length; at += 16000) list.push(`      R"${end}(${html.slice(at, at + 16000)})${end}",`);
  return `// SPDX-License-Identifier: Apache-2.0
#include "view/page.hpp"

namespace pianola::tool {

const std::vector<std::string_view>& page_pieces() {
  static const std::vector<std::string_view> pieces = {
${list.join("\n")}
  };
  return pieces;
}

}  // namespace pianola::tool
`;
}

if (process.argv[2] === "--tests") {
  const entryPoints = readdirSync("test").filter((f) => f.endsWith("_test.ts")).map((f) => `test/${f}`);
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", target: "node18", outdir: process.argv[3],
                outExtension: { ".js": ".mjs" }, logLevel: "warning" });
} else {
  const html = await page();
  writeFileSync(process.argv[2], html);
  if (process.argv[3]) writeFileSync(process.argv[3], pieces(html));
}
