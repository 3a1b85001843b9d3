import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { DraftObservation } from "../../../src/core/records/drafts.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { createJobQueue, type HostedBatch } from "../../../src/server/generation/job-queue.ts";
import { teamWork } from "../../../src/store/postgres/job-leases.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { withdraw } from "../../../src/store/postgres/withdrawal.ts";
import type { Json } from "../../../src/text/json.ts";
import { enqueueEvent, enqueueSummary, makeSession, makeTenant, toolUse } from "../../helpers/hosted-jobs.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

function openQueue() {
  const { app, system } = database;
  const queue = createJobQueue({
    ...{ app, system, clock: systemClock, leaseMs: 10_000, worker: "test" },
    onLost: () => undefined,
  });
  onTestFinished(() => queue.close());
  return queue;
}

async function claim(scope: ProjectScope, queue = openQueue()): Promise<HostedBatch> {
  const [waiting] = (await teamWork(database.app, scope.team_id)).waiting;
  if (waiting === undefined) throw new TypeError("nothing waits");
  const group = waiting.session_seq ?? -1;
  queue.intend(scope.team_id, { group, jobs: waiting, newestFirst: false });
  const batch = await queue.claim(group, { now: 0, leaseMs: 0, limit: 50, maxChars: 0 });
  if (batch === null) throw new TypeError("nothing was claimed");
  return batch;
}

async function sessionOf() {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  const add = (event_type: string, payload: Json) =>
    enqueueEvent(database, tenant, { session, event_type, payload, turn: false });
  return {
    tenant,
    session,
    add,
    ask: (prompt: string) => add("user_prompt", { prompt }),
    use: (command: string) => add("tool_use", toolUse(command, "")),
    end: (message: string, event_type = "stop") => add(event_type, { last_assistant_message: message }),
  };
}

const nothing = {
  observations: [],
  summaries: [],
  generator: "local",
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  routine: [],
  passed: [],
};

const commands = (batch: HostedBatch) => {
  const { turn } = batch;
  return turn?.uses.map(({ isOfTurn, message }) => [Object(message.tool_input).command, isOfTurn]);
};

test("an event that ends a turn is the last of its batch, and comes with its turn", async () => {
  const { tenant, ask, use, end } = await sessionOf();
  await ask("fix it");
  await use("npm test");
  await end("It was the cache.");
  await use("later");
  const batch = await claim(tenant);
  expect(batch.messages.map(({ message }) => message.type)).toEqual([
    "observation",
    "observation",
    "summarize",
  ]);
  const { turn } = batch;
  expect(turn).toMatchObject({ prompt: "fix it", closing: "It was the cache.", previous: null });
  expect(turn?.uses).toMatchObject([{ id: batch.messages[1]?.id, isOfTurn: true }]);
});

test("a tool use that only its turn reads keeps that mark", async () => {
  const { tenant, add, end } = await sessionOf();
  await add("tool_use", { tool_name: "AskUserQuestion", tool_response: "ECB", turn_only: true });
  await end("Done.");
  const { messages } = await claim(tenant);
  expect(messages.map(({ message }) => message.turn_only)).toEqual([true, undefined]);
});

test("a batch without the end of a turn has no turns", async () => {
  const { tenant, ask, use } = await sessionOf();
  await ask("fix it");
  await use("npm test");
  expect((await claim(tenant)).turn).toBeUndefined();
});

test("a later turn has the turn before it, the uses of both, and broken prompts", async () => {
  const { tenant, ask, use, end } = await sessionOf();
  const queue = openQueue();
  await ask("one");
  await use("first");
  await end("Done.", "turn_end");
  await queue.complete(await claim(tenant, queue), nothing);
  await ask("use npm");
  await ask("no, pnpm");
  await use("second");
  await end("Done again.", "assistant_message");
  const batch = await claim(tenant, queue);
  const { turn } = batch;
  expect(turn).toMatchObject({
    prompt: "use npm\n\nno, pnpm",
    closing: "Done again.",
    previous: { prompt: "one", closing: "Done." },
  });
  expect(commands(batch)).toEqual([
    ["first", false],
    ["second", true],
  ]);
});

test("a summary that is asked for with an event has the turn before that event", async () => {
  const { tenant, session, ask, use } = await sessionOf();
  const queue = openQueue();
  await ask("fix it");
  await use("npm test");
  const said = { last_user_message: "fix it", last_assistant_message: "Fixed." };
  await enqueueSummary(database, tenant, session, said);
  await queue.complete(await claim(tenant, queue), nothing);
  const batch = await claim(tenant, queue);
  expect(batch.turn).toMatchObject({ prompt: "fix it", closing: "Fixed.", previous: null });
  expect(commands(batch)).toEqual([["npm test", true]]);
});

test("of many tool uses a turn has the newest", async () => {
  const { tenant, use, end } = await sessionOf();
  for (let at = 0; at < 160; at += 1) await use(`${at}`);
  await end("Done.");
  const queue = openQueue();
  for (;;) {
    const batch = await claim(tenant, queue);
    await queue.complete(batch, nothing);
    if (batch.turn === undefined) continue;
    expect(commands(batch)?.map(([command]) => command)).toEqual(
      Array.from({ length: 150 }, (_, at) => `${at + 10}`),
    );
    return;
  }
});

test("an event that ends a turn is an ordinary one without a session", async () => {
  const tenant = await makeTenant(database);
  await enqueueEvent(database, tenant, { event_type: "stop", payload: { message: "Done." } });
  const batch = await claim(tenant);
  expect(batch.messages).toMatchObject([{ message: { type: "observation", tool_name: "stop" } }]);
  expect(batch.turn).toBeUndefined();
});

test("a statement has its event and the events it cites from the session as sources", async () => {
  const { tenant, use, end } = await sessionOf();
  const queue = openQueue();
  await use("npm test");
  await queue.complete(await claim(tenant, queue), nothing);
  await use("npm ci");
  await end("It was the cache.");
  const batch = await claim(tenant, queue);
  const { turn } = batch;
  const [earlier = 0, later = 0] = turn?.uses.map(({ id }) => id) ?? [];
  const observations = [statement([batch.messages.at(-1)?.id ?? 0, earlier, later, 999_999])];
  await queue.complete(batch, { ...nothing, observations });
  const { rows } = await database.system.query({
    text: `select e.event_type, e.payload #>> '{tool_input,command}' as command,
        s.generation_job_id = o.created_by_job_id as own, o.discovery_tokens, o.said_by
      from observations o
      join observation_sources s on s.observation_id = o.id
      join agent_events e on e.id = s.source_id
      where o.team_id = $1
      order by e.seq desc`,
    values: [tenant.team_id],
  });
  const record = { discovery_tokens: 0, said_by: "agent" };
  expect(rows).toEqual([
    { event_type: "stop", command: null, own: true, ...record },
    { event_type: "tool_use", command: "npm ci", own: null, ...record },
    { event_type: "tool_use", command: "npm test", own: null, ...record },
  ]);
});

test("what the end of a turn settles becomes routine, where it was made of that alone", async () => {
  const { tenant, use, end } = await sessionOf();
  const queue = openQueue();
  for (const command of ["edit", "test", "both", "other"]) await use(command);
  const first = await claim(tenant, queue);
  const [edit = 0, passed = 0, both = 0, other = 0] = first.messages.map(({ id }) => id);
  const plain = (title: string, ...sources: number[]): DraftObservation => {
    const { statement: _statement, ...draft } = statement(sources);
    return { ...draft, title, obs_type: "change" };
  };
  const made = [plain("edit", edit), plain("test", passed), plain("both", both, other)];
  await queue.complete(first, { ...nothing, observations: made });
  await end("Done.");
  const last = await claim(tenant, queue);
  const cited = { ...statement([last.messages.at(-1)?.id ?? 0, edit]), title: "cause" };
  await queue.complete(last, { ...nothing, observations: [cited], routine: [edit, passed, both] });
  const { rows } = await database.system.query<{ title: string }>({
    text: "select title from observations where team_id = $1 and routine order by title",
    values: [tenant.team_id],
  });
  expect(rows.map(({ title }) => title)).toEqual(["edit", "test"]);
});

test("what is withdrawn during its turn leaves no record, and it is read again", async () => {
  const { tenant, session, use, end } = await sessionOf();
  const queue = openQueue();
  await use("npm test");
  await queue.complete(await claim(tenant, queue), nothing);
  await database.system.query({
    text: `update agent_events set metadata = '{"awaitedPrompt":"k"}' where team_id = $1`,
    values: [tenant.team_id],
  });
  await end("It was the cache.");
  const batch = await claim(tenant, queue);
  expect(commands(batch)).toEqual([["npm test", true]]);
  await inTenant(database.app, tenant, (connection) =>
    withdraw(connection, tenant, { session, keys: ["k"] }),
  );
  await queue.complete(batch, { ...nothing, observations: [statement([batch.messages.at(-1)?.id ?? 0])] });
  const { rowCount } = await database.system.query({
    text: "select 1 from observations where team_id = $1",
    values: [tenant.team_id],
  });
  expect(rowCount).toBe(0);
  expect(commands(await claim(tenant, queue))).toEqual([]);
});

function statement(sources: number[]): DraftObservation {
  return {
    obs_type: "bugfix",
    title: "It was the cache.",
    subtitle: null,
    summary: "It was the cache.",
    narrative: null,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    provenance: "agent",
    sources,
    statement: { said_by: "agent", standing: false, reach: "project", salience: 1 },
  };
}
