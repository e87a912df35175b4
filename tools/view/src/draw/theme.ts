// SPDX-License-Identifier: Apache-2.0
// Colours of what is drawn; those of the page around are in style.css.
import type { Group } from "../model/groups";

export interface Theme {
  dark: boolean;
  background: string;
  band: string; // every other row
  card: string; // what nodes are filled with
  line: string; // grids, borders
  edge: string;
  text: string;
  faint: string; // text of less weight
  accent: string; // what is selected
  hit: string; // what a search has found
  critical: string;
  kernels: string[]; // by rank of the group
  kinds: Record<string, string>;
  other: string;
}

export const light: Theme = {
  dark: false,
  background: "#f6f7f9",
  band: "#eef0f4",
  card: "#ffffff",
  line: "#d5dae2",
  edge: "#9aa4b4",
  text: "#1a202c",
  faint: "#667085",
  accent: "#1f5fe0",
  hit: "#f5b800",
  critical: "#d92d3f",
  kernels: ["#3f78e0", "#12958a", "#8657d8", "#5a9a2e", "#c94b95", "#2591bf", "#94802a", "#5560c4", "#a0684c", "#7b8aa0"],
  kinds: {
    transfer: "#ea6f0d", copy: "#c99400", fill: "#d9b44a", host_task: "#2a9d5c", host_access: "#d64a63",
    subgraph: "#7a4fd0", allocate: "#1598ad", free: "#6cb4c0", acquire: "#b3621b", barrier: "#7d8797", empty: "#a3abb8",
  },
  other: "#8791a1",
};

export const dark: Theme = {
  dark: true,
  background: "#0e1217",
  band: "#131922",
  card: "#1a212c",
  line: "#2b3442",
  edge: "#5b687b",
  text: "#e4e9f1",
  faint: "#93a0b4",
  accent: "#6ea0ff",
  hit: "#ffd54a",
  critical: "#ff6270",
  kernels: ["#5b93f7", "#2bb8ab", "#a480f0", "#7fbf52", "#e574b4", "#49b3e0", "#bfa94a", "#7f8af0", "#c98e6f", "#8c9bb3"],
  kinds: {
    transfer: "#ff8f33", copy: "#e6b422", fill: "#d6bb66", host_task: "#43bf7a", host_access: "#f0708a",
    subgraph: "#9d78ee", allocate: "#35bdd1", free: "#78b9c4", acquire: "#d98945", barrier: "#8e99aa", empty: "#6f7a8a",
  },
  other: "#8c97a8",
};

export function colourOf(theme: Theme, group: Group, rank: number): string {
  if (group.kernel) return theme.kernels[Math.min(rank, theme.kernels.length - 1)];
  return theme.kinds[group.name] ?? theme.other;
}
