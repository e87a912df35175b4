// SPDX-License-Identifier: Apache-2.0
// Figures as people read them.

export function seconds(s: number): string {
  if (s === 0) return "0 s";
  const units: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]];
  const [unit, name] = units.find(([u]) => Math.abs(s) >= u * 0.9995) ?? units[3];
  const value = s / unit;
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${name}`;
}

export function bytes(n: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1023.5 && i + 1 < names.length) {
    n /= 1024;
    ++i;
  }
  return `${Number.isInteger(n) || n >= 100 ? Math.round(n) : n.toFixed(1).replace(".0", "")} ${names[i]}`;
}

export const counted = (n: number, one: string): string => `${n.toLocaleString("en-US")} ${one}${n === 1 ? "" : "s"}`;
