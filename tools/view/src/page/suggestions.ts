// SPDX-License-Identifier: Apache-2.0
// Where the program serves the page: what would help, which the program finds out by planning again.
import { type Explanation, effort, gain, questionOf } from "../model/explanation";
import { element } from "./dom";
import type { Session } from "./session";

const PAUSE = 150; // milliseconds: who goes on at once asks for nothing

export class Suggestions {
  private readonly known = new Map<string, Explanation>();
  private asking = new AbortController();

  constructor(private readonly session: Session) {}

  // For what is chosen; nothing where nobody can be asked.
  section(): Node[] {
    this.asking.abort();
    const { model, node, edge } = this.session;
    const question = questionOf(model, node, edge);
    const page = model.content.served;
    if (page === undefined || question === undefined || !location.protocol.startsWith("http")) return [];
    const section = element("section", { id: "suggestions" }, element("h2", {}, "What would help"));
    const known = this.known.get(question);
    if (known) section.append(...this.parts(known));
    else {
      section.append(element("p", { class: "more" }, "planning again with changes\u2026"));
      this.asking = new AbortController();
      void this.ask(question, page, section, this.asking.signal);
    }
    return [section];
  }

  private async ask(question: string, page: string, section: Element, signal: AbortSignal): Promise<void> {
    let parts: Node[];
    try {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (signal.aborted) return;
      const answer = await fetch(`/explain?${question}&page=${encodeURIComponent(page)}`, { signal });
      if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
      const explanation = (await answer.json()) as Explanation;
      this.known.set(question, explanation);
      parts = this.parts(explanation);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof TypeError ? "pianola does not answer: it has ended, or cannot be reached" : (error as Error).message;
      parts = [element("p", { class: "more bad" }, reason)];
    }
    section.lastChild!.remove();
    section.append(...parts);
  }

  private parts(explanation: Explanation): Node[] {
    return [
      ...explanation.suggestions.map(({ text, before, after }) =>
        element("div", { class: "item" }, element("b", {}, text), element("p", {}, gain(before, after)))),
      element("p", { class: "more" }, effort(explanation)),
    ];
  }
}
