// SPDX-License-Identifier: Apache-2.0
// Content as the program writes it, made here: a stencil in tiles over two buffers in turns, on devices with memories of
// their own, with the transfers of halos; every few steps a reduction to the host.
import type { Content } from "../src/model/content";

const PAGE = 1024; // elements of a tile

export function stencil(steps: number, tiles: number, devices: number): Content {
  const texts: string[] = [];
  const text = (t: string): number => (texts.includes(t) ? texts.indexOf(t) : texts.push(t) - 1);
  const boxes: number[] = [];
  const box = (first: number, last: number): number => boxes.push(0, 0, first, 1, 1, last) / 6 - 1;
  const c: Content = {
    title: "stencil.graph.json",
    planned: "planned for this page",
    timed: "simulated",
    memories: [{ name: "host", bytes: 2 ** 34, peak: 0 }],
    devices: [],
    lanes: [],
    buffers: ["u", "v", "residual"].map((name, i) => ({
      name, dimensions: 1, range: [1, 1, i === 2 ? 1 : tiles * PAGE], page: [1, 1, i === 2 ? 1 : PAGE], element: 4, temporary: false,
    })),
    allocations: [],
    commands: { kind: [], name: [], short: [], detail: [], device: [], needs: [], follows: [], after: [], measured: [], allocations: [] },
    requirements: { buffer: [], mode: [], box: [] },
    edges: { from: [], to: [] },
    steps: { command: [], device: [], buffer: [], from: [], to: [], box: [], lane: [], waits: [], waits_for: [], start: [], end: [], tick: 1e-9, critical: [], makespan: 0, work: 0, span: 0 },
    contract: [],
    slots: [],
    boxes,
    texts,
  };
  for (let d = 0; d < devices; ++d) {
    c.memories.push({ name: `gpu${d}`, bytes: 2 ** 30, peak: tiles * PAGE * 8 });
    c.devices.push({ name: `Device ${d}`, backend: "simulated", memory: d + 1, busy: 0 });
    c.lanes.push(d, d);
  }
  const lastStep: number[] = [];
  const free = c.lanes.map(() => 0);
  const step = (lane: number, after: number[], length: number, columns: Partial<Record<keyof Content["steps"], number>>): number => {
    const s = c.steps.lane.length;
    for (const name of ["command", "device", "buffer", "from", "to", "box"] as const) c.steps[name].push(columns[name] ?? 0);
    const start = Math.max(free[lane], ...after.map((a) => c.steps.end[a]));
    free[lane] = start + length;
    c.steps.lane.push(lane);
    c.steps.waits.push(after.length);
    c.steps.waits_for.push(...after);
    c.steps.start.push(start);
    c.steps.end.push(start + length);
    return s;
  };
  const command = (kind: string, name: string, device: number, needs: [number, number, number, number][]): number => {
    c.commands.kind.push(text(kind));
    c.commands.name.push(text(`${name}(sycl::id<1>)`));
    c.commands.short.push(text(name));
    c.commands.detail.push(text(kind === "kernel" ? `range ${PAGE}` : ""));
    c.commands.device.push(device + 1);
    c.commands.needs.push(needs.length);
    c.commands.follows.push(0);
    for (const [buffer, mode, first, last] of needs) {
      c.requirements.buffer.push(buffer);
      c.requirements.mode.push(mode);
      c.requirements.box.push(box(first, last));
    }
    return c.commands.kind.length - 1;
  };
  const deviceOf = (tile: number): number => Math.floor((tile * devices) / tiles);
  let before: number[] = [];
  for (let s = 0; s <= steps; ++s) {
    const now: number[] = [];
    for (let t = 0; t < tiles; ++t) {
      const d = deviceOf(t);
      const own: [number, number, number, number] = [s % 2, 2 | 4, t * PAGE, (t + 1) * PAGE];
      if (s === 0) {
        const made = command("kernel", "fill_with_noise", d, [own]);
        now.push(made);
        lastStep[made] = step(2 * d, [], 700, { command: made + 1, device: d + 1 });
        continue;
      }
      const from = Math.max(0, t - 1);
      const to = Math.min(tiles, t + 2);
      const source = (s - 1) % 2;
      const made = command("kernel", s % 2 ? "blur" : "sharpen", d, [[source, 1, from * PAGE, to * PAGE], own]);
      const waits: number[] = [];
      for (let n = from; n < to; ++n) {
        c.edges.from.push(before[n]);
        c.edges.to.push(made);
        if (deviceOf(n) === d) waits.push(lastStep[before[n]]);
        else
          waits.push(step(2 * d + 1, [lastStep[before[n]]], 400, {
            buffer: source + 1, from: deviceOf(n) + 2, to: d + 2, box: box(n * PAGE, (n + 1) * PAGE) + 1,
          }));
      }
      now.push(made);
      lastStep[made] = step(2 * d, waits, 900 + ((s * 7 + t * 13) % 5) * 60, { command: made + 1, device: d + 1 });
    }
    if (s > 0 && s % 10 === 0) {
      const sum = command("kernel", "reduce_residual", 0, [[s % 2, 1, 0, PAGE], [2, 6, 0, 1]]);
      c.edges.from.push(now[0]);
      c.edges.to.push(sum);
      lastStep[sum] = step(0, [lastStep[now[0]]], 500, { command: sum + 1, device: 1 });
    }
    before = now;
  }
  const ends = Math.max(...c.steps.end.slice(-3 * tiles));
  c.steps.makespan = ends * c.steps.tick;
  c.steps.work = c.steps.span = c.steps.makespan;
  // Back from what ended last, each time to what ended latest of what it waited for.
  let at: number | undefined = c.steps.end.lastIndexOf(ends);
  let sum = 0;
  const firstWait = c.steps.waits.map((w) => (sum += w));
  while (at !== undefined) {
    c.steps.critical.push(at);
    const waits: number[] = c.steps.waits_for.slice(at === 0 ? 0 : firstWait[at - 1], firstWait[at]);
    at = waits.sort((a, b) => c.steps.end[b] - c.steps.end[a])[0];
  }
  c.steps.critical.reverse();
  for (const d of c.devices) d.busy = 0.8 * c.steps.makespan;
  return c;
}
