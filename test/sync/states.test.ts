import { describe, expect, test } from "vitest";
import {
  type SyncAction,
  type SyncStateName,
  syncEvents,
  syncStates,
  syncTable,
} from "../../src/sync/states.ts";

const cells = syncStates.flatMap((state) =>
  syncEvents.map((event) => ({ state, event, ...syncTable[state][event] })),
);
const runs: readonly SyncAction[] = ["push", "pull"];
const timers: readonly SyncAction[] = ["debounce", "poll", "back_off", "recheck"];

describe("the table of sync states", () => {
  test("has a cell for every state and event", () => {
    expect(Object.keys(syncTable).toSorted()).toEqual([...syncStates].toSorted());
    for (const state of syncStates) {
      expect(Object.keys(syncTable[state]).toSorted()).toEqual([...syncEvents].toSorted());
    }
    expect(cells).toHaveLength(syncStates.length * syncEvents.length);
  });

  test("reaches every cell from the first state", () => {
    const reached = new Set<SyncStateName>(["off"]);
    for (const state of reached) for (const event of syncEvents) reached.add(syncTable[state][event].next);
    expect([...reached].toSorted()).toEqual([...syncStates].toSorted());
  });

  test("starts a run exactly where the state says that one goes on", () => {
    for (const { state, event, next, actions } of cells) {
      const started = actions.filter((action) => runs.includes(action));
      const cell = `${state} ${event}`;
      const enters = next !== state && (next === "pushing" || next === "pulling");
      expect([cell, started]).toEqual([cell, enters ? [next === "pushing" ? "push" : "pull"] : []]);
    }
  });

  test("waits with a timer exactly in the states that need one", () => {
    const needed: Partial<Record<SyncStateName, SyncAction>> = {
      ...{ waiting: "debounce", idle: "poll", backoff: "back_off", stopped: "recheck" },
    };
    for (const { state, event, next, actions } of cells) {
      const set = actions.filter((action) => timers.includes(action));
      const cell = `${state} ${event}`;
      if (next === state) expect([needed[next], undefined]).toContain(set[0]);
      else expect([cell, set]).toEqual([cell, needed[next] === undefined ? [] : [needed[next]]]);
    }
  });

  test("ends a run that is left for a pause or for good", () => {
    for (const { state, next, actions } of cells) {
      const isCut = (state === "pushing" || state === "pulling") && (next === "paused" || next === "off");
      expect(actions.includes("abort")).toBe(isCut);
    }
  });

  test("has the live channel open exactly while sync works", () => {
    const without: readonly SyncStateName[] = ["off", "paused", "suspended", "stopped"];
    for (const { state, event, next, actions } of cells) {
      const change = Number(!without.includes(next)) - Number(!without.includes(state));
      const found = Number(actions.includes("open_live")) - Number(actions.includes("close_live"));
      expect([state, event, found]).toEqual([state, event, change]);
    }
  });

  test("leaves no state without a way to close it, and pauses from every state", () => {
    for (const state of syncStates) {
      expect(syncTable[state].close.next).toBe("off");
      expect(syncTable[state].pause.next).toBe(state === "off" ? "off" : "paused");
    }
  });
});
