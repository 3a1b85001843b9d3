import { beforeEach, describe, expect, test } from "vitest";
import type { PendingMessage } from "../../../src/core/records/messages.ts";
import type { Turn } from "../../../src/core/records/turn.ts";
import { statementDrafts } from "../../../src/statements/turn-drafts.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
let session: number;
beforeEach(() => {
  session = openSession("one");
});

function openSession(name: string): number {
  const ids = { claude_session_id: name, sdk_session_id: `sdk ${name}` };
  return memory.store.sessions.insert({ ...ids, project: "app", host: "api", cwd: null, now: someTime });
}

let keys = 0;

function add(message: PendingMessage, of = session): number {
  const { rawEvents, pending } = memory.store;
  const event = { session_id: of, kind: message.type, event_key: `e${++keys}`, now: someTime };
  const id = rawEvents.insert({ ...event, payload: JSON.stringify(message) });
  if (id === null) throw new Error("the event was not stored");
  pending.enqueue(id, of, someTime);
  return id;
}

const use = (command: string, of = session) =>
  add({ type: "observation", tool_name: "Bash", tool_input: { command } }, of);
const end = (closing: string, rest: Partial<PendingMessage> = {}) =>
  add({ type: "summarize", last_assistant_message: closing, ...rest });

function ask(text: string, number: number, hidden = false, now = someTime) {
  memory.store.prompts.insert({
    session_id: session,
    claude_session_id: "one",
    sdk_session_id: "sdk one",
    project: "app",
    prompt_number: number,
    prompt_text: hidden ? "" : text,
    private: hidden ? 1 : 0,
    event_key: `p${number}`,
    now,
  });
}

async function claim() {
  const queue = createGenerationQueue(memory.store, "me");
  const batch = await queue.claim(session, { now: someTime, leaseMs: 1, limit: 500, maxChars: 10_000_000 });
  if (batch === null) throw new Error("nothing was claimed");
  return batch;
}

const turnOf = async (id: number) => {
  for (;;) {
    const { messages, turn } = await claim();
    if (messages.at(-1)?.id === id) return turn;
  }
};

test("a batch without a message that ends a turn has no turn", async () => {
  use("a");
  expect((await claim()).turn).toBeUndefined();
});

test("the first turn has its prompt, closing and tool uses, and no previous turn", async () => {
  ask("fix it", 1);
  const uses = [use("a"), use("b")];
  use("elsewhere", openSession("two"));
  const id = end("It was the cache.", { prompt_number: 1 });
  use("later");
  expect(await turnOf(id)).toMatchObject({
    prompt: "fix it",
    closing: "It was the cache.",
    previous: null,
    uses: uses.map((use) => ({ id: use, isOfTurn: true, message: { tool_name: "Bash" } })),
    shown: uses,
  });
});

test("a later turn has the turn before it, and the uses of both", async () => {
  const before = use("a");
  const first = end("Done.", { last_user_message: "one" });
  await claim();
  const after = use("b");
  const second = end("Done again.", { last_user_message: "two" });
  const turn = await turnOf(second);
  expect(turn).toMatchObject({ prompt: "two", previous: { prompt: "one", closing: "Done." } });
  expect(turn?.uses.map(({ id, isOfTurn }) => [id, isOfTurn])).toEqual([
    [before, false],
    [after, true],
  ]);
  expect(turn?.shown).toEqual([first, before, after]);
});

describe("the prompt", () => {
  test("has what was asked since the turn before and broken off", async () => {
    ask("one", 1);
    end("Done.", { prompt_number: 1, last_user_message: "one" });
    await claim();
    ask("use npm", 2);
    ask("no, pnpm", 3);
    expect(await turnOf(end("Done.", { prompt_number: 3 }))).toMatchObject({ prompt: "use npm\n\nno, pnpm" });
    expect(await turnOf(end("", { prompt_number: 3 }))).toMatchObject({ prompt: "no, pnpm", closing: "" });
  });

  test("is the host's own text where it sends one", async () => {
    ask("asked", 1);
    ask("stored", 2);
    const id = end("Done.", { prompt_number: 2, last_user_message: "sent" });
    expect(await turnOf(id)).toMatchObject({ prompt: "asked\n\nsent" });
  });

  test("has each prompt once where the host's text is an earlier one", async () => {
    ask("add the route", 1);
    ask("and never log the token", 2);
    const id = end("Done.", { prompt_number: 2, last_user_message: "add the route" });
    expect(await turnOf(id)).toMatchObject({
      prompt: "add the route\n\nand never log the token",
      prompts: ["add the route", "and never log the token"],
    });
  });

  test("has every stored prompt where the message has a number that none has", async () => {
    ask("add the route", 1);
    const id = end("Done.", { prompt_number: 3, last_user_message: "go on" });
    expect(await turnOf(id)).toMatchObject({ prompt: "add the route\n\ngo on" });
  });

  test("that says it is the source of the user's words, with its time", async () => {
    ask("Never log the\ntoken, please.", 1, false, someTime - 60_000);
    ask("and a test", 2);
    const id = end("Done.", { prompt_number: 2 });
    const batch = await claim();
    const observations = statementDrafts(batch.turn as Turn, id);
    const reply = { observations, summaries: [], generator: "local" };
    await createGenerationQueue(memory.store, "me").complete(batch, reply);
    const stored = memory.store.observations.page({ offset: 0, limit: 9 }).items;
    expect(stored).toMatchObject([{ prompt_number: 1, created_at_epoch: someTime - 60_000 }]);
  });

  test("has nothing of a private one", async () => {
    ask("secret", 1, true);
    ask("open", 2);
    expect(await turnOf(end("Done.", { prompt_number: 2 }))).toMatchObject({ prompt: "open" });
  });

  test("is empty where none is known", async () => {
    expect(await turnOf(end("Done."))).toMatchObject({ prompt: "" });
  });
});

describe("of many tool uses the newest are kept", () => {
  test("by their number", async () => {
    const ids = Array.from({ length: 160 }, (_, n) => use(`${n}`));
    const turn = await turnOf(end("Done."));
    expect(turn?.uses.map(({ id }) => id)).toEqual(ids.slice(-150));
  });

  test("by their size", async () => {
    const ids = Array.from({ length: 5 }, () => use("x".repeat(150_000)));
    const turn = await turnOf(end("Done."));
    expect(turn?.uses.map(({ id }) => id)).toEqual(ids.slice(-2));
  });

  test("also where one alone is too large", async () => {
    const id = use("x".repeat(500_000));
    const turn = await turnOf(end("Done."));
    expect(turn?.uses.map((one) => one.id)).toEqual([id]);
  });
});

test("a use that cannot be read is left out, and the turn is there", async () => {
  const [broken, whole] = [use("a"), use("b")];
  memory.db.prepare("update raw_events set payload = '{' where id = ?").run(broken);
  const turn = await turnOf(end("Done."));
  expect(turn?.uses.map(({ id }) => id)).toEqual([whole]);
});

test("a turn has the failures that other sessions of the project left", async () => {
  const other = openSession("two");
  const left = use("make deploy", other);
  const fixed = use("make build", other);
  const own = use("make lint");
  const statement = { said_by: "tool", standing: false, reach: "project", salience: 1 } as const;
  const families = ["make deploy"];
  const failure = { obs_type: "discovery", project: "app", statement: { ...statement, families } } as const;
  memory.addObservation({ ...failure, session: "two", sources: [left] });
  memory.addObservation({ ...failure, session: "two", sources: [fixed], obs_type: "bugfix" });
  memory.addObservation({ ...failure, session: "one", sources: [own] });
  const turn = await turnOf(end("Done."));
  expect(turn?.failures).toMatchObject([
    { id: left, isOfTurn: false, message: { tool_input: { command: "make deploy" } } },
  ]);
  expect(turn?.shown).toContain(left);
});
