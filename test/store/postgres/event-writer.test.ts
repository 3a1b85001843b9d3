import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { batchItem, type NewEvent, storeEvents } from "../../../src/store/postgres/event-batch.ts";
import { createEventWriter } from "../../../src/store/postgres/event-writer.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { ensureProject, ensureTeam } from "../../../src/store/postgres/teams.ts";
import { inTransaction } from "../../../src/store/postgres/tenant.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const { app, system } = database;
const writer = createEventWriter({ app });

async function project(team: string, name = "p") {
  const team_id = await ensureTeam(system, { id: newId(), name: team });
  return { team_id, project_id: await ensureProject(system, { id: newId(), team_id, name }) };
}

const [one, two] = [await project("one"), await project("two")];

function eventIn(scope: { team_id: string; project_id: string }, given: Partial<NewEvent> = {}): NewEvent {
  return {
    ...scope,
    id: newId(),
    keys: [],
    body_hash: null,
    session_id: null,
    content_session_id: null,
    new_session_id: newId(),
    source_type: "hook",
    source_event_id: null,
    event_type: "tool_use",
    platform_source: "",
    payload: null,
    metadata: {},
    occurred_at_epoch: 1,
    job_id: newId(),
    ...given,
  };
}

const keyed = (scope: typeof one, key: string, hash = "aa") =>
  eventIn(scope, { keys: [key], body_hash: hash });

async function stored(event: NewEvent) {
  const { rows } = await system.query<{ team_id: string; project_id: string; job: string | null }>({
    text: `select e.team_id, e.project_id, j.id as job
      from agent_events e left join generation_jobs j on j.source_id = e.id where e.id = $1`,
    values: [event.id],
  });
  return rows;
}

test("stores concurrent events of many teams in few statements", async () => {
  let statements = 0;
  const counted = createEventWriter({
    app: {
      ...app,
      query: (statement) => {
        statements += 1;
        return app.query(statement);
      },
    },
  });
  const events = Array.from({ length: 200 }, (_, n) =>
    eventIn(n % 2 === 0 ? one : two, { content_session_id: `s${n % 5}` }),
  );
  const written = await Promise.all(events.map((event) => counted.write(event)));
  expect(new Set(written.map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
  expect(statements).toBeLessThanOrEqual(3);
  for (const event of events.slice(0, 4)) {
    const { team_id, project_id, job_id } = event;
    expect(await stored(event)).toMatchObject([{ team_id, project_id, job: job_id }]);
  }
});

test("events of one session are numbered in the order in which they came", async () => {
  const events = Array.from({ length: 100 }, () => eventIn(one, { content_session_id: "in order" }));
  await Promise.all(events.map((event) => writer.write(event)));
  const { rows } = await system.query<{ id: string }>({
    text: "select id from agent_events where id = any ($1::uuid[]) order by seq",
    values: [events.map(({ id }) => id)],
  });
  expect(rows.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
});

test("an event that the database refuses costs its neighbours nothing", async () => {
  const bad = [
    eventIn(one, { payload: "\0" }),
    eventIn(two, { occurred_at_epoch: 1e18 }),
    eventIn(one, { id: "no-id" }),
  ];
  const good = Array.from({ length: 20 }, (_, n) => eventIn(n % 2 === 0 ? one : two));
  const all = [...good.slice(0, 10), ...bad, ...good.slice(10)];
  const settled = await Promise.allSettled(all.map((event) => writer.write(event)));
  expect(settled.map(({ status }) => status)).toEqual(
    all.map((event) => (bad.includes(event) ? "rejected" : "fulfilled")),
  );
  for (const event of good) expect(await stored(event)).toHaveLength(1);
});

test("an event of a project that is not there, or of another team's, is refused alone", async () => {
  const outcomes = await Promise.all(
    [
      eventIn({ team_id: one.team_id, project_id: newId() }),
      eventIn({ team_id: one.team_id, project_id: two.project_id }),
      eventIn(one, { session_id: newId() }),
      eventIn(one),
    ].map((event) => writer.write(event)),
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([
    "no_project",
    "no_project",
    "no_session",
    "created",
  ]);
});

test("a session of another team is none, although its id is known", async () => {
  const theirs = await writer.write(eventIn(two, { content_session_id: "theirs" }));
  if (theirs.outcome !== "created") throw new Error(theirs.outcome);
  const ours = await writer.write(eventIn(one, { session_id: theirs.session_id }));
  expect(ours.outcome).toBe("no_session");
});

test("two servers that get the same keys at the same time store each once", async () => {
  const other = createEventWriter({ app });
  const pairs = Array.from(
    { length: 40 },
    (_, n) => [keyed(one, `both-${n}`), keyed(one, `both-${n}`)] as const,
  );
  const outcomes = await Promise.all(
    pairs.map(async ([a, b]) => {
      const both = await Promise.all([writer.write(a), other.write(b)]);
      return both
        .map(({ outcome }) => outcome)
        .sort()
        .join();
    }),
  );
  expect(new Set(outcomes)).toEqual(new Set(["created,repeated"]));
});

test("a key is taken only once its first request is committed", async () => {
  for (const dies of [true, false]) {
    const doomed = openDatabase({ url: database.url, max: 1, onConnectionLost: () => undefined });
    const first = keyed(one, `crash-${dies}`);
    const second = keyed(one, `crash-${dies}`);
    let waiting: Promise<{ outcome: string }> | undefined;
    await inTransaction(doomed.app, async (connection) => {
      await storeEvents(connection, [batchItem(first)], false);
      waiting = writer.write(second);
      const { rows } = await connection.query<{ pid: number }>({ text: "select pg_backend_pid() as pid" });
      await aWaitFor(rows[0]?.pid ?? 0);
      if (dies) await database.owner.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    }).catch((cause: unknown) => {
      if (!dies) throw cause;
    });
    expect(await waiting).toMatchObject(
      dies ? { outcome: "created", event_id: second.id } : { outcome: "repeated", event_id: first.id },
    );
    await doomed.close();
  }
});

test.each([
  ["with its lock", "select hold_project($1)"],
  ["by its row", "select 1 from projects where id = $1"],
])("while a project is purged, held %s, events of others are stored and its own wait", async (_, hold) => {
  const later: string[] = [];
  let own: Promise<void> | undefined;
  await inTransaction(system, async (connection) => {
    await connection.query({ text: hold, values: [one.project_id] });
    await connection.query({
      text: "update projects set memory_epoch = memory_epoch + 1 where id = $1",
      values: [one.project_id],
    });
    const event = eventIn(one);
    const absent = eventIn({ team_id: one.team_id, project_id: newId() });
    own = writer.write(event).then(({ outcome }) => {
      later.push(outcome);
    });
    for (let n = 0; n < 5; n += 1) expect((await writer.write(eventIn(two))).outcome).toBe("created");
    expect((await writer.write(absent)).outcome).toBe("no_project");
    expect(later).toEqual([]);
  });
  await own;
  expect(later).toEqual(["created"]);
  const { rows } = await system.query({
    text: `select 1 from agent_events e join projects p on p.id = e.project_id
      where e.project_id = $1 and e.memory_epoch = p.memory_epoch`,
    values: [one.project_id],
  });
  expect(rows).toHaveLength(1);
  await system.query({ text: "delete from agent_events where project_id = $1", values: [one.project_id] });
});

test("fails every waiting request when the database is lost, then recovers", async () => {
  const fragile = openDatabase({ url: database.url, max: 2, onConnectionLost: () => undefined });
  const events = createEventWriter({ app: fragile.app });
  await events.write(eventIn(one));
  const { rows } = await fragile.app.query<{ pid: number }>({ text: "select pg_backend_pid() as pid" });
  const pid = rows[0]?.pid ?? 0;
  const begun = Promise.allSettled(Array.from({ length: 30 }, () => events.write(eventIn(one))));
  await database.owner.query("select pg_terminate_backend($1)", [pid]);
  await theEndOf(pid);
  const reasons = (await begun).flatMap((result) =>
    result.status === "rejected" ? [result.reason.code] : [],
  );
  expect(new Set([...reasons, "storage_failed"])).toEqual(new Set(["storage_failed"]));
  // Before its end is read, a connection may take one more request, which fails like the others.
  const next = () => events.write(eventIn(one)).catch(({ code }: { code: string }) => ({ outcome: code }));
  expect(["created", "storage_failed"]).toContain((await next()).outcome);
  expect((await next()).outcome).toBe("created");
  await events.close();
  await fragile.close();
});

async function theEndOf(pid: number): Promise<void> {
  const alive = { text: "select 1 from pg_stat_activity where pid = $1", values: [pid] };
  while ((await database.owner.query(alive)).rows.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

// Until another connection waits for what this one holds.
async function aWaitFor(pid: number): Promise<void> {
  for (;;) {
    const { rows } = await database.owner.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))",
      [pid],
    );
    if ((rows[0]?.n ?? 0) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("bounds the events that wait for a stalled database and refuses the rest", async () => {
  let giveUp: () => void = () => undefined;
  const stands = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new Error("it never came back"));
  });
  stands.catch(() => undefined);
  const writer = createEventWriter({ app: { query: () => stands, borrow: () => stands } });
  const scope = { team_id: newId(), project_id: newId() };
  const payload = "x".repeat(1024 * 1024);
  const settled = Array.from({ length: 80 }, () =>
    writer.write(eventIn(scope, { payload })).then(
      () => "stored",
      (cause: { code?: string }) => cause.code ?? "lost",
    ),
  );
  expect(await settled.at(-1)).toBe("storage_busy");
  giveUp();
  const refused = (await Promise.all(settled)).filter((code) => code === "storage_busy");
  expect(refused.length).toBeGreaterThanOrEqual(16);
  expect(refused.length).toBeLessThan(20);
});
