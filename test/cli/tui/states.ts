// States of the interactive program without a terminal: keys and events go in, state and frame come out.

import { frameOf } from "../../../src/cli/tui/frame.ts";
import type { Row } from "../../../src/cli/tui/rows.ts";
import {
  type Effect,
  initialState,
  type PageAnswer,
  type ProgramEvent,
  type State,
} from "../../../src/cli/tui/state.ts";
import { update } from "../../../src/cli/tui/update.ts";
import { shownView } from "../../../src/cli/tui/views.ts";

export const now = Date.UTC(2026, 5, 15, 12);

/** The program after events; each method adds one. It starts in the list unless `isTyping`. */
export function running(
  given: { columns?: number; rows?: number; feedOnly?: boolean; isTyping?: boolean } = {},
) {
  const { columns = 80, rows = 24, feedOnly = false, isTyping = false } = given;
  let state: State = initialState({ size: { columns, rows }, nowEpochMs: now, feedOnly });
  let effects: Effect[] = [];
  const program = {
    state: () => state,
    view: () => shownView(state),
    /** Effects since the last call. */
    effects(): Effect[] {
      const all = effects;
      effects = [];
      return all;
    },
    send(event: ProgramEvent) {
      const step = update(state, event);
      state = step.state;
      effects.push(...step.effects);
      return program;
    },
    press(...keys: string[]) {
      for (const key of keys) program.send({ is: "key", key });
      return program;
    },
    /** Answers the newest read of the list that is shown. */
    answer(page: Partial<PageAnswer> & Pick<PageAnswer, "rows">) {
      const { id } = shownView(state);
      const read = effects.findLast((effect) => effect.do === "read" && effect.view === id);
      if (read?.do !== "read") throw new Error("nothing is being read");
      const { ticket, index, place } = read;
      return program.send({
        is: "page",
        view: id,
        ticket,
        index,
        place,
        page: { next: null, notes: [], ...page },
      });
    },
    /** The screen as text. */
    lines(): string[] {
      return frameOf(state).lines.map((line) => line.map(([text]) => text).join(""));
    },
    text: () => program.lines().join("\n"),
  };
  program.send({ is: "resized", size: { columns, rows } });
  return isTyping || feedOnly ? program : program.press("esc");
}

export function row(id: number, given: Partial<Row> = {}): Row {
  return {
    key: `observation ${id}`,
    kind: "observation",
    id,
    name: String(id),
    at: now - id * 60_000,
    type: "bugfix",
    title: `Title ${id}`,
    project: "shop",
    marks: [],
    isPinned: false,
    status: "active",
    ...given,
  };
}

export function rows(count: number, from = 1): Row[] {
  return Array.from({ length: count }, (_, at) => row(from + at));
}
