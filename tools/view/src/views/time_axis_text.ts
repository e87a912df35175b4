// SPDX-License-Identifier: Apache-2.0

// With as many digits as tell neighbouring ticks apart.
export function tickText(t: number, step: number, last: number): string {
  const units: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]];
  const [unit, name] = units.find(([u]) => last >= u * 0.9995) ?? units[3];
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit) + 1e-9)));
  return `${(t / unit).toFixed(digits)} ${name}`;
}
