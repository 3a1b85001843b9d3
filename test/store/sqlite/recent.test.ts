import { beforeEach, describe, expect, it } from "vitest";
import { createRankable, createRecent } from "../../../src/store/sqlite/recent.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
let recent: ReturnType<typeof createRecent>;

beforeEach(() => {
  recent = createRecent(memory.db);
});

const everything = {
  project: "app",
  limit: 50,
  sessions: 10,
  types: null,
  concepts: null,
  of: "all",
} as const;

describe("forContext", () => {
  it("returns the project's newest observations, newest first, up to the limit", () => {
    const old = memory.addObservation({ at: someTime - 2 });
    const newest = memory.addObservation({ at: someTime });
    const middle = memory.addObservation({ at: someTime - 1 });
    memory.addObservation({ project: "other" });
    const idsOf = (limit: number) => recent.forContext({ ...everything, limit }).map((record) => record.id);
    expect(idsOf(50)).toEqual([newest.id, middle.id, old.id]);
    expect(idsOf(2)).toEqual([newest.id, middle.id]);
  });

  it("draws from the newest sessions only, even when an old one goes on between them", () => {
    const add = (session: string, at: number) => memory.addObservation({ session, at: someTime + at }).id;
    add("first", 1);
    const kept = [add("second", 2), add("third", 3), add("second", 4)];
    const found = recent.forContext({ ...everything, sessions: 2 });
    expect(found.map((record) => record.id)).toEqual(kept.reverse());
  });

  it("keeps the wanted types and those with one of the wanted concepts", () => {
    const fix = memory.addObservation({ obs_type: "bugfix", concepts: ["gotcha", "pattern"] });
    memory.addObservation({ obs_type: "bugfix", concepts: ["trade-off"] });
    memory.addObservation({ obs_type: "change", concepts: ["gotcha"] });
    const found = recent.forContext({
      ...everything,
      types: ["bugfix"],
      concepts: ["gotcha", "what-changed"],
    });
    expect(found.map((record) => record.id)).toEqual([fix.id]);
  });
});

it("a record that a prompt is compared with is read again once it changed", () => {
  const { rankable } = createRankable(memory.db);
  const { id } = memory.addObservation({ generator: "model", title: "as it was" });
  expect(rankable("app", 9)).toMatchObject([{ id, title: "as it was", pinned: 0 }]);
  const reviewed = { status: "active", pinned: 1, superseded_by: null } as const;
  memory.store.review.setStanding(id, reviewed);
  expect(rankable("app", 9)).toMatchObject([{ id, pinned: 1 }]);
  memory.store.review.setStanding(id, { ...reviewed, status: "rejected", pinned: 0 });
  expect(rankable("app", 9)).toEqual([]);
});

describe("lastMessage", () => {
  function endTurn(session: string, payload: string, project = "app") {
    memory.addObservation({ session, project });
    const id = memory.store.sessions.byClaudeId(session)?.id ?? 0;
    memory.store.rawEvents.insert({
      session_id: id,
      kind: "summarize",
      event_key: `turn ${payload}`,
      payload,
      now: someTime,
    });
  }

  it("is the message of the last turn that ended in the project", () => {
    endTurn("one", JSON.stringify({ last_assistant_message: "first" }));
    endTurn("two", JSON.stringify({ last_assistant_message: "second" }));
    endTurn("three", JSON.stringify({ last_assistant_message: "elsewhere" }), "other");
    expect(recent.lastMessage("app")).toBe("second");
  });

  it("is undefined when no turn ended or the turn said nothing", () => {
    expect(recent.lastMessage("app")).toBeUndefined();
    endTurn("one", JSON.stringify({ last_user_message: "hi" }));
    expect(recent.lastMessage("app")).toBeUndefined();
  });
});
