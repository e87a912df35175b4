// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { effort, gain, questionOf } from "../src/model/explanation";
import { Model } from "../src/model/model";
import { stencil } from "./sample";

const before = { bytes: 5 << 20, transfers: 3, edges: 4, seconds: 2e-3 };

test("a gain is told as the command line tells it", () => {
  assert.equal(gain(before, { bytes: 1 << 20, transfers: 2, edges: 4, seconds: 1.5e-3 }), "\u22124 MiB, \u22121 transfer, \u2212500 \u00b5s of 2.00 ms");
  assert.equal(gain(before, { ...before, bytes: 6 << 20, edges: 2 }), "+1 MiB, \u22122 edges");
  assert.equal(gain(before, { ...before, seconds: 2e-3 * (1 + 1e-7) }), "no difference");
});

test("it is said what was tried", () => {
  const one = { text: "", before, after: before };
  assert.equal(effort({ suggestions: [], tried: 1, not_tried: 0 }), "of 1 change tried none gains anything");
  assert.equal(effort({ suggestions: [one], tried: 3, not_tried: 0 }), "each was tried by planning again");
  assert.equal(effort({ suggestions: [one], tried: 3, not_tried: 2 }), "tried 3 of 5 changes");
});

test("commands, transfers and edges are asked for as the program knows them", () => {
  const m = new Model(stencil(4, 4, 2));
  const transfer = m.commandCount;
  const step = m.stepOfNode[transfer];
  assert.equal(questionOf(m, undefined, undefined), undefined);
  assert.equal(questionOf(m, 3, undefined), "node=c3");
  assert.equal(questionOf(m, transfer, undefined), `transfer=${step}`);
  assert.equal(questionOf(m, undefined, { from: 0, to: 4 }), "edge=c0-c4");
  assert.equal(questionOf(m, undefined, { from: 0, to: transfer }), `transfer=${step}`);
  assert.equal(questionOf(m, undefined, { from: transfer, to: 5 }), `transfer=${step}`);
  assert.equal(questionOf(m, undefined, { from: transfer, to: transfer + 1 }), `transfer=${m.stepOfNode[transfer + 1]}`);
});
