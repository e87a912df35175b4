// SPDX-License-Identifier: Apache-2.0
// What each key does: one table for the page, its help and docs/view.md.

export interface Key {
  keys: string[]; // as KeyboardEvent.key has them
  shown: string;
  does: string;
}

export const table: Record<string, Key> = {
  graph: { keys: ["1"], shown: "1", does: "graph" },
  time: { keys: ["2"], shown: "2", does: "lanes over time" },
  data: { keys: ["3"], shown: "3", does: "where the pages of a buffer are" },
  search: { keys: ["/"], shown: "/", does: "search; Enter goes to the next hit, Shift Enter to the one before, Escape ends it" },
  next: { keys: ["n"], shown: "n", does: "next hit" },
  previous: { keys: ["N"], shown: "N", does: "hit before" },
  before: { keys: ["ArrowUp", "k"], shown: "\u2191", does: "to what the chosen node comes after; nothing chosen: move up" },
  after: { keys: ["ArrowDown", "j"], shown: "\u2193", does: "to what comes after the chosen node; nothing chosen: move down" },
  left: { keys: ["ArrowLeft", "h"], shown: "\u2190", does: "to the step before in its lane; nothing chosen: move left" },
  right: { keys: ["ArrowRight", "l"], shown: "\u2192", does: "to the next step in its lane; nothing chosen: move right" },
  nearer: { keys: ["+", "="], shown: "+", does: "nearer" },
  further: { keys: ["-", "_"], shown: "\u2212", does: "further" },
  fit: { keys: ["0"], shown: "0", does: "everything" },
  show: { keys: ["f", "Enter"], shown: "f", does: "to the chosen node" },
  critical: { keys: ["c"], shown: "c", does: "critical path only" },
  transfers: { keys: ["t"], shown: "t", does: "transfers: show, or dim" },
  dark: { keys: ["d"], shown: "d", does: "dark or light" },
  fold: { keys: ["\\"], shown: "\\", does: "panels at the sides: show, or hide" },
  clear: { keys: ["Escape"], shown: "Esc", does: "choose nothing; then: end search and filters" },
  help: { keys: ["?"], shown: "?", does: "this list" },
};

export function actionOf(key: string): string | undefined {
  return Object.keys(table).find((name) => table[name].keys.includes(key));
}
