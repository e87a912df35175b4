// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Raster, mixed, packed, rgb } from "../src/draw/raster";
import { random } from "./random";

test("colours are packed as pixels are", () => {
  const bytes = new Uint8Array(Uint32Array.of(packed(rgb("#102030"))).buffer);
  assert.deepEqual([...bytes], [0x10, 0x20, 0x30, 0xff]);
  assert.deepEqual(mixed([0, 100, 200], [100, 100, 0], 0.5), [50, 100, 100]);
});

test("rectangles and lines stay within the picture, wherever they are", () => {
  const next = random(3);
  const r = new Raster(37, 23);
  const guard = r.pixels.length;
  for (let i = 0; i < 5000; ++i) {
    const v = (): number => (next() - 0.5) * 400;
    r.line(v(), v(), v(), v(), 0xff0000ff, 128);
    r.fill(v(), v(), v(), v(), 0xff00ff00);
  }
  assert.equal(r.pixels.length, guard);
  assert.equal((r.pixels as unknown as Record<string, number>)["-1"], undefined);
});

test("a line touches both of its ends and every column between, and mixes its colour", () => {
  const r = new Raster(20, 20);
  r.clear(packed([0, 0, 0]));
  r.line(2, 3, 17, 9, packed([200, 0, 100]), 128);
  const pixel = (x: number, y: number): number => r.pixels[y * 20 + x];
  assert.equal(pixel(2, 3), packed([100, 0, 50]));
  assert.equal(pixel(17, 9), packed([100, 0, 50]));
  for (let x = 2; x <= 17; ++x) assert.equal(Array.from({ length: 20 }, (_, y) => pixel(x, y)).filter((p) => p !== packed([0, 0, 0])).length, 1, `column ${x}`);
});

test("a rectangle fills whole pixels, half-open", () => {
  const r = new Raster(4, 4);
  r.fill(1, 1, 3, 2, 7);
  assert.deepEqual([...r.pixels], [0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});
