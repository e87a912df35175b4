// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../src/model/model";
import { type Span, pageMap } from "../src/model/residency";
import { stencil } from "./sample";

const at = (spans: Span[], row: number, time: number): Span[] => spans.filter((s) => row >= s.first && row < s.last && time >= s.start && time < s.end);

test("current data lies where it was written until somebody writes it elsewhere, and where it was brought", () => {
  const m = new Model(stencil(12, 4, 2));
  for (const buffer of [0, 1]) {
    const map = pageMap(m, buffer);
    assert.equal(map.rows, 4);
    // By asking the steps, page by page, at times between their ends.
    const times = [...new Set([...m.end])].sort((a, b) => a - b);
    for (const time of times.slice(0, -1).map((t, i) => (t + times[i + 1]) / 2))
      for (let page = 0; page < 4; ++page)
        for (const { memory, spans } of map.memories) {
          let valid = false;
          let busy = false;
          let ended = -1;
          for (let s = 0; s < m.start.length; ++s) {
            const node = m.nodeOfStep[s];
            const running = m.start[s] <= time && time < m.end[s];
            if (m.isTransfer(node)) {
              if (m.content.steps.buffer[s] - 1 !== buffer || m.transferBox(s).lo[2] !== page * 1024 || m.content.steps.to[s] - 1 !== memory) continue;
              busy ||= running;
              if (m.end[s] <= time && m.end[s] > ended) valid = true;
              continue;
            }
            const here = m.memoryOf(m.deviceOf[node]) === memory;
            for (const r of m.requirements(node)) {
              if (r.buffer !== buffer || r.elements.lo[2] > page * 1024 || r.elements.hi[2] <= page * 1024) continue;
              if (here) busy ||= running;
              if ((r.mode & 2) === 0) continue;
              if (m.start[s] <= time) {
                valid = here && m.end[s] <= time;
                ended = m.end[s];
              }
            }
          }
          const found = at(spans, page, time);
          assert.equal(found.some((s) => s.state === "valid"), valid, `buffer ${buffer}, page ${page}, memory ${memory}, ${time}`);
          assert.equal(found.some((s) => s.state !== "valid"), busy, `buffer ${buffer}, page ${page}, memory ${memory}, ${time}: busy`);
        }
  }
});

test("what the plan expects to be valid lies there from the start", () => {
  const c = stencil(1, 4, 2);
  c.contract.push({ buffer: 2, box: c.boxes.push(0, 0, 0, 1, 1, 1) / 6 - 1, memories: [0, 2] });
  const map = pageMap(new Model(c), 2);
  assert.deepEqual(map.memories.map((e) => [e.memory, e.spans[0].start, e.spans[0].end]), [[0, 0, c.steps.makespan], [2, 0, c.steps.makespan]]);
});

test("a buffer in slots is in a memory only while steps use it there", () => {
  const c = stencil(6, 4, 2);
  c.slots.push([0, 1, 0, 3]);
  const m = new Model(c);
  const last = Math.max(...[0, 1, 2, 3].map((s) => m.end[s]));
  const map = pageMap(m, 0);
  assert.ok(map.memories.find((e) => e.memory === 1)!.spans.every((s) => s.end <= last));
  assert.ok(map.memories.find((e) => e.memory === 2)!.spans.some((s) => s.end > last));
});

test("a buffer of more pages than anybody can count has a map", () => {
  const c = stencil(2, 4, 2);
  c.buffers[0] = { ...c.buffers[0], dimensions: 3, range: [2 ** 20, 2 ** 20, 2 ** 20], page: [1, 1, 1] };
  c.contract.push({ buffer: 0, box: c.boxes.push(0, 0, 0, 2 ** 20, 2 ** 20, 2 ** 20) / 6 - 1, memories: [0] });
  const map = pageMap(new Model(c), 0);
  assert.deepEqual(map.memories[0].spans.map((s) => [s.first, s.last]), [[1, 256]]); // the first row is written at once, elsewhere
});

test("more pages than rows share rows", () => {
  const map = pageMap(new Model(stencil(2, 40, 2)), 0, 16);
  assert.deepEqual([map.rows, map.pages], [16, 40]);
  for (const { spans } of map.memories) for (const s of spans) assert.ok(s.first >= 0 && s.last <= 16 && s.first < s.last);
});
