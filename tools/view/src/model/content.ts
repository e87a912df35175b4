// SPDX-License-Identifier: Apache-2.0
// What the program puts into the page (tools/pianola/view/page_data.cpp writes it): columns, as JSON.

export interface Content {
  title: string;
  planned: string;
  timed: string;
  served?: string; // which state of the files this is, where the program can be asked about it
  memories: { name: string; bytes: number; peak: number }[];
  devices: { name: string; backend: string; memory: number; busy: number }[];
  lanes: number[]; // device of each
  buffers: {
    name: string;
    dimensions: number;
    range: number[];
    page: number[];
    element: number;
    temporary: boolean;
  }[];
  allocations: { kind: string; memory: number; bytes: number }[];
  commands: {
    kind: number[]; // index into texts, as are name, short and detail
    name: number[];
    short: number[];
    detail: number[];
    device: number[]; // plus 1; 0: none
    needs: number[]; // how many requirements
    follows: number[]; // how many explicit edges
    after: number[];
    measured: number[]; // seconds; empty: nothing was measured
    allocations: number[][]; // empty: no command works on any
  };
  requirements: { buffer: number[]; mode: number[]; box: number[] };
  edges: { from: number[]; to: number[] };
  steps: {
    command: number[]; // plus 1; 0: a transfer
    device: number[];
    buffer: number[]; // plus 1; 0: a command
    from: number[];
    to: number[];
    box: number[];
    lane: number[];
    waits: number[]; // how many
    waits_for: number[];
    start: number[]; // ticks
    end: number[];
    tick: number; // seconds
    critical: number[];
    makespan: number;
    work: number;
    span: number;
  };
  contract: { buffer: number; box: number; memories: number[] }[];
  slots: [buffer: number, memory: number, first: number, last: number][];
  boxes: number[]; // six numbers each: lo and hi
  texts: string[];
}
