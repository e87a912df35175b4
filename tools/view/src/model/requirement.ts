// SPDX-License-Identifier: Apache-2.0
import type { Box } from "./box";

export const READS = 1;
export const WRITES = 2;
export const NO_INIT = 4;

export interface Requirement {
  buffer: number;
  mode: number; // bits above
  elements: Box;
}

export interface Edge {
  from: number;
  to: number;
}
