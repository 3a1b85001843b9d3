import { beforeEach, describe, expect, test } from "vitest";
import type { QueueSelection } from "../../../src/core/records/queue.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
let session: number;

beforeEach(() => {
  session = memory.store.sessions.insert({
    claude_session_id: "host-1",
    sdk_session_id: "sdk-1",
    project: "shop",
    host: "api",
    cwd: null,
    now: someTime,
  });
});

type State = "new" | "waits for a retry" | "given back" | "processing" | "dead";

let keys = 0;

/** A message of the session in this state; its id. */
function add(state: State, at = someTime, payload = '{"type":"observation","tool_name":"Bash"}'): number {
  const { rawEvents, pending } = memory.store;
  const key = `key ${++keys}`;
  const id = rawEvents.insert({ session_id: session, kind: "observation", event_key: key, payload, now: at });
  if (id === null) throw new Error("the event was not stored");
  pending.enqueue(id, session, at);
  pending.count("accepted", 1);
  if (state !== "new") lease(id);
  if (state === "waits for a retry")
    pending.release(id, { kind: "retry", at: someTime + 60_000, error: "503" });
  if (state === "given back") pending.release(id, { kind: "give_back" });
  if (state === "dead") pending.release(id, { kind: "dead", error: "no JSON" });
  return id;
}

function lease(id: number): void {
  memory.db
    .prepare(
      `update pending_messages
       set status = 'processing', attempts = attempts + 1, lease_owner = 'one', lease_until_epoch = ?
       where id = ?`,
    )
    .run(someTime + 1, id);
}

const move = (kind: "retry" | "drop", selection: QueueSelection, limit = 100, after = 0) =>
  memory.store.queue[kind]({ selection, now: someTime, after, limit });

const page = (request: object = {}) => memory.store.queue.page({ offset: 0, limit: 50, ...request });
const stateOf = (id: number) => page().items.find((item) => item.id === id)?.status;

function balance(): number {
  const { accepted, done, skipped, pending, processing, dead } = memory.store.pending.counts();
  return accepted - (done + skipped + pending + processing + dead);
}

describe("the list", () => {
  test("tells of every message what it is, where it comes from and how it stands", () => {
    const waiting = add("waits for a retry", someTime + 1);
    const dead = add("dead", someTime + 2);
    expect(page()).toEqual({
      total: 2,
      items: [
        {
          id: waiting,
          status: "pending",
          session: "host-1",
          project: "shop",
          kind: "observation",
          tool_name: "Bash",
          attempts: 1,
          failures: 1,
          last_error: "503",
          next_try_at_epoch: someTime + 60_000,
          created_at_epoch: someTime + 1,
        },
        expect.objectContaining({ id: dead, status: "dead", last_error: "no JSON", next_try_at_epoch: null }),
      ],
    });
  });

  test("keeps to one state and to a time, and counts what is on other pages", () => {
    const ids = [1, 2, 3].map((at) => add("dead", someTime + at));
    add("new", someTime + 4);
    expect(page({ status: "dead", limit: 2 })).toMatchObject({
      total: 3,
      items: ids.slice(0, 2).map((id) => ({ id })),
    });
    expect(page({ status: "dead", offset: 2 }).items.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(page({ since: someTime + 3 }).total).toBe(2);
  });

  test("lists a message with an unreadable payload", () => {
    const id = add("dead", someTime, "{broken");
    expect(page().items).toEqual([expect.objectContaining({ id, tool_name: null })]);
  });
});

describe("a retry", () => {
  test.each<[QueueSelection, State[]]>([
    [{}, ["waits for a retry", "dead"]],
    [{ failed: true }, ["dead"]],
    [{ since: someTime + 1 }, []],
  ])("with %j makes exactly these due: %j", (selection, moved) => {
    const states: State[] = ["new", "waits for a retry", "given back", "processing", "dead"];
    const ids = new Map(states.map((state) => [add(state), state]));
    expect(move("retry", selection).sessions).toHaveLength(moved.length);
    for (const item of page().items) {
      const state = ids.get(item.id) ?? "new";
      if (moved.includes(state)) {
        const fresh = { attempts: 0, failures: 0, last_error: null, next_try_at_epoch: null };
        expect(item).toMatchObject({ status: "pending", ...fresh });
      } else expect(item.status).toBe(state === "processing" || state === "dead" ? state : "pending");
    }
    expect(balance()).toBe(0);
  });

  test("by id leaves the message that is worked on alone, whatever its lease says", () => {
    const [busy, dead] = [add("processing"), add("dead")];
    expect(move("retry", { ids: [busy, dead, 999] }).sessions).toEqual([session]);
    expect([stateOf(busy), stateOf(dead)]).toEqual(["processing", "pending"]);
  });

  test("that goes in steps meets every message once, also one that fails again meanwhile", () => {
    const ids = [add("dead"), add("dead"), add("dead")];
    const first = move("retry", {}, 2);
    expect(first).toEqual({ sessions: [session, session], last: ids[1] });
    lease(ids[0] ?? 0);
    memory.store.pending.release(ids[0] ?? 0, { kind: "dead", error: "again" });
    const second = move("retry", {}, 2, first.last ?? 0);
    expect(second).toEqual({ sessions: [session], last: null });
    expect(ids.map(stateOf)).toEqual(["dead", "pending", "pending"]);
  });
});

describe("a drop", () => {
  test("counts as skipped and keeps the raw event", () => {
    const ids = [add("dead"), add("new"), add("waits for a retry")];
    expect(move("drop", { ids: [...ids, 999] }).sessions).toHaveLength(3);
    expect(memory.store.pending.counts()).toMatchObject({ accepted: 3, skipped: 3, pending: 0, dead: 0 });
    expect(balance()).toBe(0);
    expect(memory.db.prepare("select count(*) from raw_events").pluck().get()).toBe(3);
  });

  test("never takes a message from under the generator's hands", () => {
    const busy = add("processing");
    expect(move("drop", { ids: [busy] }).sessions).toEqual([]);
    expect(memory.store.pending.finish(busy, "one")).toBe(true);
    expect(memory.store.pending.counts().skipped).toBe(0);
  });

  test("of what failed takes the dead ones of that time and no other", () => {
    const [old, young, waiting] = [add("dead"), add("dead", someTime + 5), add("waits for a retry")];
    move("drop", { failed: true, since: someTime + 5 });
    expect([old, young, waiting].map(stateOf)).toEqual(["dead", undefined, "pending"]);
  });
});

test("reports which ids are in work, free or not in the queue", () => {
  const [busy, dead, fresh] = [add("processing"), add("dead"), add("new")];
  expect(memory.store.queue.standing([busy, dead, fresh, fresh, 999])).toEqual({
    processing: 1,
    free: 2,
    notFound: 1,
  });
});

test("the first message that died since a time is found, older ones are not", () => {
  add("dead", someTime + 1);
  add("dead", someTime + 7);
  add("new", someTime + 6);
  expect(memory.store.queue.firstDeadSince(someTime + 1)).toBe(someTime + 7);
  expect(memory.store.queue.firstDeadSince(someTime + 7)).toBeNull();
});
