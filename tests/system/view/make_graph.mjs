// SPDX-License-Identifier: Apache-2.0
// make_graph.mjs STEPS TILES DEVICES FILE: a file of format pianola.graph/1: a stencil in tiles over two buffers in turns.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const PAGE = 16384; // elements of a tile

export function stencilGraph(steps, tiles, devices) {
  const memories = [{ name: "host", bytes: 2 ** 34 }];
  const links = [];
  const device = [];
  for (let d = 0; d < devices; ++d) {
    memories.push({ name: `gpu${d}`, bytes: 2 ** 32 });
    device.push({ name: `Device ${d}`, backend: "simulated", memory: d + 1, maximum_lanes: 4 });
  }
  for (let from = 0; from <= devices; ++from)
    for (let to = 0; to <= devices; ++to) if (from !== to) links.push({ from, to, bandwidth: 1e10, latency: 1e-6 });
  const buffers = ["u", "v", "residual"].map((label, id) => ({
    id, label, dimensions: 1, range: [1, 1, id === 2 ? 1 : tiles * PAGE], page: [1, 1, id === 2 ? 1 : PAGE], element_size: 4,
  }));
  const need = (buffer, mode, no_init, first, last) => {
    const page = buffer === 2 ? 1 : PAGE;
    return {
      buffer, mode, no_init, elements: { lo: [0, 0, first], hi: [1, 1, last] },
      pages: { lo: [0, 0, Math.floor(first / page)], hi: [1, 1, Math.ceil(last / page)] },
    };
  };
  const commands = [];
  const kernel = (id, label, on, requirements, items) =>
    commands.push({
      id: commands.length, kind: "kernel", label, device: on, requirements, after: [],
      kernel: { id: `0x${id.toString(16).padStart(16, "0")}`, dimensions: 1, global: [1, 1, items], offset: [0, 0, 0], local_memory_bytes: 0 },
    });
  for (let s = 0; s <= steps; ++s) {
    for (let t = 0; t < tiles; ++t) {
      const on = Math.floor((t * devices) / tiles);
      const own = need(s % 2, "write", true, t * PAGE, (t + 1) * PAGE);
      if (s === 0) {
        kernel(1, "fill with noise", on, [own], PAGE);
        continue;
      }
      const first = Math.max(0, t * PAGE - 1);
      const last = Math.min(tiles * PAGE, (t + 1) * PAGE + 1);
      kernel(2 + (s % 2), s % 2 ? "blur" : "sharpen", on, [need((s + 1) % 2, "read", false, first, last), own], PAGE);
    }
    if (s > 0 && s % 10 === 0) kernel(4, "reduce residual", 0, [need(s % 2, "read", false, 0, tiles * PAGE), need(2, "write", true, 0, 1)], 1);
  }
  return { format: "pianola.graph/1", topology: { memories, devices: device, links }, buffers, commands };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [steps, tiles, devices] = process.argv.slice(2, 5).map(Number);
  writeFileSync(process.argv[5], JSON.stringify(stencilGraph(steps, tiles, devices)));
}
