import { describe, expect, test } from "vitest";
import {
  type SessionEvent,
  type SessionState,
  type SessionStep,
  sessionStep,
} from "../../src/capture/session-states.ts";

type Row = [SessionState, SessionEvent, "public" | "private", "in time" | "late", SessionStep];

const rows: Row[] = [
  ["none", "prompt", "public", "in time", "create"],
  ["none", "prompt", "private", "in time", "create"],
  ["none", "message", "public", "in time", "create"],
  ["none", "message", "private", "in time", "skip_private"],
  ["none", "complete", "public", "in time", "ignore"],
  ["active", "prompt", "public", "in time", "record"],
  ["active", "prompt", "private", "in time", "record"],
  ["active", "message", "public", "in time", "record"],
  ["active", "message", "private", "in time", "skip_private"],
  ["active", "complete", "public", "in time", "complete"],
  ["active", "complete", "private", "in time", "complete"],
  ["active", "complete", "public", "late", "ignore"],
  ["completed", "prompt", "public", "in time", "reopen"],
  ["completed", "prompt", "private", "in time", "reopen"],
  ["completed", "message", "public", "in time", "reopen"],
  ["completed", "message", "private", "in time", "skip_private"],
  ["completed", "complete", "public", "in time", "ignore"],
  ["completed", "prompt", "public", "late", "record"],
  ["completed", "message", "public", "late", "record"],
  ["completed", "message", "private", "late", "skip_private"],
];

describe("the table of session states", () => {
  test.each(rows)("%s + %s (%s prompt, %s) is answered by %s", (state, event, privacy, when, step) => {
    const circumstances = { isPrivate: privacy === "private", isLate: when === "late" };
    expect(sessionStep(state, event, circumstances)).toBe(step);
  });

  test("every state and event has a row", () => {
    const states: SessionState[] = ["none", "active", "completed"];
    const events: SessionEvent[] = ["prompt", "message", "complete"];
    for (const state of states) {
      for (const event of events) expect(rows.some(([s, e]) => s === state && e === event)).toBe(true);
    }
  });
});
