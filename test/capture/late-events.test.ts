// Events that come late, twice or out of order: whose prompt they belong to, and what they do to the session.
import { beforeEach, describe, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { createObservationRecorder } from "../../src/capture/record-observation.ts";
import type { StreamEvent } from "../../src/core/records/events.ts";
import type { Session } from "../../src/core/records/records.ts";
import { shorten } from "../../src/core/shorten.ts";
import { eachMemoryStore, intakeInto } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let intake: Intake;
let record: ReturnType<typeof createObservationRecorder>;
let now: number;
let events: StreamEvent[];

beforeEach(() => {
  now = 1_000_000;
  events = [];
  const deps = {
    store: memory.store,
    clock: { now: () => now, monotonicMs: () => now },
    projectOf: () => "demo",
    projectNamed: (label: string) => (label === "shop-before" ? "shop" : label),
    publish: (event: StreamEvent) => void events.push(event),
  };
  intake = intakeInto(memory.store, () => now, deps);
  record = createObservationRecorder(deps);
});

const session = { claudeSessionId: "host-1" };
const use = { ...session, tool_name: "Read" };
const queued = { status: "queued" };
const hidden = { status: "skipped", reason: "private" };

function stored(): Session | undefined {
  return memory.store.sessions.byClaudeId("host-1");
}

function payloads(): unknown[] {
  const rows = memory.db.prepare<[], string>("select payload from raw_events order by id").pluck().all();
  return rows.map((row) => JSON.parse(row));
}

function prompt(text: string, eventKey: string, at?: number) {
  return intake.initSession({ ...session, prompt: text, eventKey, at });
}

const secret = "<private>CANARY</private>";

describe("a message that names its prompt", () => {
  test("of a private prompt is not stored, though a public prompt followed", async () => {
    await prompt(secret, "q1");
    await prompt("now in the open", "q2");
    expect(await intake.observe({ ...use, promptKey: "q1" })).toEqual(hidden);
    expect(await intake.summarize({ ...session, promptKey: "q1" })).toEqual(hidden);
    await intake.keep({ ...session, name: "Novelty", payload: {}, promptKey: "q1" });
    expect(payloads()).toEqual([]);
  });

  test("of a public prompt is stored under that prompt, though a private one followed", async () => {
    await prompt("in the open", "q1");
    await prompt(secret, "q2");
    expect(await intake.observe({ ...use, promptKey: "q1" })).toEqual(queued);
    expect(await intake.summarize({ ...session, promptKey: "q1" })).toEqual(queued);
    expect(payloads()).toMatchObject([
      { prompt_number: 1 },
      { prompt_number: 1, last_user_message: "in the open" },
    ]);
    expect(await intake.observe(use)).toEqual(hidden);
  });

  test("is not stored when a private prompt followed under the same id", async () => {
    await prompt("in the open", "q1");
    expect(await intake.observe({ ...use, promptKey: "q1", eventKey: "before" })).toEqual(queued);
    await prompt(secret, "q1");
    expect(await intake.observe({ ...use, promptKey: "q1", eventKey: "after" })).toEqual(hidden);
    expect(await intake.summarize({ ...session, promptKey: "q1" })).toEqual(hidden);
    await prompt("and in the open again", "q1");
    expect(await intake.observe({ ...use, promptKey: "q1", eventKey: "still" })).toEqual(hidden);
    await prompt("the next turn", "q2");
    expect(await intake.observe({ ...use, promptKey: "q2" })).toEqual(queued);
    expect(payloads()).toMatchObject([{ prompt_number: 1 }, { prompt_number: 4 }]);
  });

  test("belongs to the last prompt of one id, and each prompt is stored once", async () => {
    const texts = ["first", "typed meanwhile", "first", "typed meanwhile", "x".repeat(70_000)];
    for (const text of texts) await prompt(text, "q1");
    await prompt(shorten("x".repeat(70_000), 65_536), "q1");
    expect(await intake.observe({ ...use, promptKey: "q1" })).toEqual(queued);
    expect(payloads()).toMatchObject([{ prompt_number: 3 }]);
    expect(memory.store.prompts.page({ offset: 0, limit: 10 }).items).toHaveLength(3);
  });

  test.each([{ promptKey: "never seen" }, { prompt_number: 7 }])(
    "that is not known, %j, is as private as the newest one",
    async (named) => {
      await prompt(secret, "q1");
      expect(await intake.observe({ ...use, ...named })).toEqual(hidden);
      await prompt("now in the open", "q2");
      expect(await intake.observe({ ...use, ...named })).toEqual(queued);
      expect(payloads()).toMatchObject([{ prompt_number: 2 }]);
    },
  );
});

describe("a prompt that was spooled", () => {
  test("and is older than the newest one does not lift its privacy", async () => {
    now = 5_000;
    await prompt(secret, "p2");
    await prompt("asked before", "p1", 2_000);
    expect(await intake.observe(use)).toEqual(hidden);
    expect(await intake.observe({ ...use, promptKey: "p1" })).toEqual(queued);
    expect(payloads()).toMatchObject([{ prompt_number: 2 }]);
  });

  test("and is older and private does not silence the newest one", async () => {
    now = 5_000;
    await prompt("in the open", "p2");
    await prompt(secret, "p1", 2_000);
    expect(await intake.observe(use)).toEqual(queued);
    expect(await intake.observe({ ...use, promptKey: "p1" })).toEqual(hidden);
    expect(payloads()).toMatchObject([{ prompt_number: 1 }]);
  });
});

describe("the number a client gives a prompt", () => {
  const numbered = (text: string, promptNumber: number) =>
    intake.initSession({ ...session, prompt: text, promptNumber });

  test("is kept, so that what names it is as private as that prompt", async () => {
    await prompt("first", "p1");
    expect(await numbered(secret, 5)).toMatchObject({ promptNumber: 5, skipped: true });
    expect(await numbered("third", 6)).toMatchObject({ promptNumber: 6 });
    expect(await intake.observe({ ...use, prompt_number: 5 })).toEqual(hidden);
    expect(await intake.observe({ ...use, prompt_number: 6 })).toEqual(queued);
    expect(await prompt("fourth", "p4")).toMatchObject({ promptNumber: 7 });
  });

  test("names the same prompt when it comes again with the same text, private or not", async () => {
    for (const text of ["first", secret]) {
      const { promptNumber } = await intake.initSession({ ...session, prompt: text });
      now += 60_000;
      expect(await numbered(text, promptNumber)).toMatchObject({ promptNumber, reason: "duplicate" });
    }
  });

  test("decides nothing any more once two prompts were given the same", async () => {
    await numbered("first", 1);
    expect(await numbered(secret, 1)).toMatchObject({ promptNumber: 2 });
    expect(await intake.observe({ ...use, prompt_number: 1 })).toEqual(hidden);
    expect(await numbered("third", 1)).toMatchObject({ promptNumber: 3 });
    expect(await intake.observe({ ...use, prompt_number: 1 })).toEqual(queued);
  });
});

describe("an observation that a client recorded itself", () => {
  const draft = { title: "Found it", obs_type: "discovery" as const };
  const lists = { facts: [], concepts: [], files_read: [], files_modified: [] };

  test("is not stored while the prompt it belongs to is private", async () => {
    await prompt(secret, "p1");
    expect(await record({ ...session, ...draft, ...lists })).toEqual(hidden);
    await prompt("in the open", "p2");
    expect(await record({ ...session, ...draft, ...lists, prompt_number: 1 })).toEqual(hidden);
    expect(events.filter((event) => event.type === "observation_created")).toEqual([]);
    expect(await record({ ...session, ...draft, ...lists })).toMatchObject({ title: "Found it" });
  });

  test("is refused when it names another project than its session's", async () => {
    const recorded = { ...session, ...draft, ...lists };
    expect(await record({ ...recorded, project: "shop" })).toMatchObject({ project: "shop" });
    await expect(record({ ...recorded, project: "billing" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/`shop`.*`billing`/),
    });
    expect(memory.db.prepare("select count(*) from observations").pluck().get()).toBe(1);
  });

  test("may name its session's project, also by an earlier label, or none", async () => {
    const recorded = { ...session, ...draft, ...lists };
    await record({ ...recorded, project: "shop" });
    for (const project of ["shop", "shop-before", undefined])
      expect(await record({ ...recorded, project })).toMatchObject({ project: "shop" });
  });
});

describe("the end of a session", () => {
  test("that was spooled counts from when it was said", async () => {
    await intake.observe(use);
    now += 60_000;
    await intake.complete({ ...session, at: now - 30_000 });
    expect(stored()).toMatchObject({ status: "completed", completed_at_epoch: now - 30_000 });
  });

  test("that was said before the session went on does not end it", async () => {
    await intake.observe(use);
    now += 60_000;
    await intake.observe(use);
    events = [];
    const answer = await intake.complete({ ...session, at: now - 30_000 });
    expect(answer).toEqual({ success: true, message: "No active session found" });
    expect(stored()).toMatchObject({ status: "active", completed_at_epoch: null });
    expect(events).toEqual([]);
  });
});

describe("a completed session", () => {
  beforeEach(async () => {
    await prompt("go", "p1");
    await intake.observe({ ...use, eventKey: "toolu_1" });
    now += 60_000;
    await intake.complete(session);
    events = [];
  });

  test("is not opened again by a delivery that is repeated", async () => {
    const before = stored();
    now += 60_000;
    expect(await intake.observe({ ...use, eventKey: "toolu_1" })).toEqual(queued);
    expect(await prompt("go", "p1")).toMatchObject({ reason: "duplicate" });
    expect(stored()).toEqual(before);
    expect(events).toEqual([]);
  });

  test("is not reopened by events from before its end, which are stored", async () => {
    const completedAt = now;
    now += 60_000;
    expect(await intake.observe({ ...use, eventKey: "toolu_2", at: completedAt - 1 })).toEqual(queued);
    expect(await prompt("and more", "p2", completedAt - 1)).toMatchObject({ skipped: false });
    expect(payloads()).toHaveLength(2);
    expect(stored()).toMatchObject({ status: "completed", completed_at_epoch: completedAt });
    expect(events.map((event) => event.type)).toEqual(["observation_queued", "new_prompt"]);
  });

  test("is opened again by what is new, and its activity never goes back", async () => {
    const completedAt = now;
    now += 60_000;
    await intake.observe({ ...use, at: completedAt + 30_000 });
    await intake.observe({ ...use, at: completedAt + 10_000 });
    expect(stored()).toMatchObject({ status: "active", last_active_at_epoch: completedAt + 30_000 });
  });
});
