// SPDX-License-Identifier: Apache-2.0
// Lays a graph out beside the page, which stays responsive meanwhile.
import { type Drawing, draw } from "./drawing";

export interface Task {
  nodes: number;
  from: Uint32Array;
  to: Uint32Array;
}

addEventListener("message", (event: MessageEvent<Task>) => {
  const { nodes, from, to } = event.data;
  const drawing: Drawing = draw(nodes, from, to);
  postMessage(drawing);
});
