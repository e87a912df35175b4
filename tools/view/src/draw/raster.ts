// SPDX-License-Identifier: Apache-2.0
// A picture made pixel by pixel. Tens of thousands of rectangles of few pixels and short lines cost a canvas tens of
// milliseconds, here a few; and it needs no graphics processor, which many who look at graphs do not have.

// Red, green, blue from 0 to 255.
export type Rgb = readonly [number, number, number];

// As pixels are in memory: little-endian, opaque.
export const packed = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export function rgb(hex: string): Rgb {
  const n = parseInt(hex.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

export const mixed = (a: Rgb, b: Rgb, share: number): Rgb =>
  [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)) as unknown as Rgb;

export class Raster {
  readonly pixels: Uint32Array;
  constructor(readonly width: number, readonly height: number) {
    this.pixels = new Uint32Array(width * height);
  }

  clear(colour: number): void {
    this.pixels.fill(colour);
  }

  // Half-open, of whole pixels; what is outside is cut off.
  fill(x0: number, y0: number, x1: number, y1: number, colour: number): void {
    const left = Math.max(0, x0 | 0);
    const right = Math.min(this.width, x1 | 0);
    const bottom = Math.min(this.height, y1 | 0);
    for (let y = Math.max(0, y0 | 0); y < bottom; ++y) {
      const row = y * this.width;
      for (let x = left; x < right; ++x) this.pixels[row + x] = colour;
    }
  }

  // A line one pixel wide, `alpha` of 256 opaque. Several over each other become more opaque.
  line(x0: number, y0: number, x1: number, y1: number, colour: number, alpha: number): void {
    const clipped = clip(x0, y0, x1, y1, this.width - 1, this.height - 1);
    if (!clipped) return;
    [x0, y0, x1, y1] = clipped;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))));
    const dx = (x1 - x0) / steps;
    const dy = (y1 - y0) / steps;
    const rest = 256 - alpha;
    const rb = (colour & 0xff00ff) * alpha;
    const g = (colour & 0x00ff00) * alpha;
    const { pixels, width } = this;
    for (let i = 0; i <= steps; ++i) {
      const at = ((y0 + 0.5) | 0) * width + ((x0 + 0.5) | 0);
      const old = pixels[at];
      const newRb = (((old & 0xff00ff) * rest + rb) / 256) & 0xff00ff;
      const newG = (((old & 0x00ff00) * rest + g) / 256) & 0x00ff00;
      pixels[at] = (0xff000000 | newRb | newG) >>> 0;
      x0 += dx;
      y0 += dy;
    }
  }
}

// The part of a line within [0, right] x [0, bottom] (Liang and Barsky).
function clip(x0: number, y0: number, x1: number, y1: number, right: number, bottom: number): [number, number, number, number] | undefined {
  if (x0 >= 0 && x1 >= 0 && y0 >= 0 && y1 >= 0 && x0 <= right && x1 <= right && y0 <= bottom && y1 <= bottom)
    return [x0, y0, x1, y1];
  const dx = x1 - x0;
  const dy = y1 - y0;
  let first = 0;
  let last = 1;
  for (const [p, q] of [[-dx, x0], [dx, right - x0], [-dy, y0], [dy, bottom - y0]]) {
    if (p === 0) {
      if (q < 0) return undefined;
      continue;
    }
    const t = q / p;
    if (p < 0) first = Math.max(first, t);
    else last = Math.min(last, t);
    if (first > last) return undefined;
  }
  return [x0 + first * dx, y0 + first * dy, x0 + last * dx, y0 + last * dy];
}
