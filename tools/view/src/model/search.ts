// SPDX-License-Identifier: Apache-2.0
// What a search finds. Words are separated by blanks; a node is found if all of them fit:
//   text         in its name, whatever the case
//   #12          the command of this number
//   kind:copy    buffer:u    device:1    memory:host
import type { Model } from "./model";

type Test = (node: number) => boolean;

export function search(model: Model, text: string): Uint32Array {
  const tests = text.trim().split(/\s+/).filter((w) => w !== "").map((w) => testOf(model, w.toLowerCase()));
  if (tests.length === 0) return new Uint32Array();
  const found: number[] = [];
  for (let n = 0; n < model.nodeCount; ++n) if (tests.every((t) => t(n))) found.push(n);
  return Uint32Array.from(found);
}

function testOf(model: Model, word: string): Test {
  const { content } = model;
  if (/^#\d+$/.test(word)) return (n) => n === Number(word.slice(1)) && !model.isTransfer(n);
  const [, key, value] = /^(kind|buffer|device|memory):(.*)$/.exec(word) ?? [];
  switch (key) {
    case "kind": {
      const fit = model.kinds.map((k) => k.startsWith(value));
      return (n) => fit[model.kindOf[n]];
    }
    case "buffer": {
      const fit = content.buffers.map((_, b) => String(b) === value || model.bufferName(b).toLowerCase().includes(value));
      return (n) => {
        if (model.isTransfer(n)) return fit[content.steps.buffer[model.stepOfNode[n]] - 1];
        let found = false;
        model.eachBuffer(n, (b) => (found ||= fit[b]));
        return found;
      };
    }
    case "device": {
      const fit = content.devices.map((_, d) => String(d) === value || model.deviceName(d).toLowerCase().includes(value));
      return (n) => model.deviceOf[n] >= 0 && fit[model.deviceOf[n]];
    }
    case "memory": {
      const fit = content.memories.map((_, m) => String(m) === value || model.memoryName(m).toLowerCase().includes(value));
      return (n) => {
        if (!model.isTransfer(n)) return model.deviceOf[n] >= 0 && fit[model.memoryOf(model.deviceOf[n])];
        const step = model.stepOfNode[n];
        return fit[content.steps.from[step] - 1] || fit[content.steps.to[step] - 1];
      };
    }
  }
  // Names repeat: each text is looked at once.
  const fit = content.texts.map((t) => t.toLowerCase().includes(word));
  const { name, short, kind } = content.commands;
  return (n) =>
    model.isTransfer(n)
      ? model.fullName(n).toLowerCase().includes(word)
      : fit[name[n]] || fit[short[n]] || (content.texts[name[n]] === "" && fit[kind[n]]);
}
