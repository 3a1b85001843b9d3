import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { startScriptedModel } from "../helpers/scripted-model.ts";
import { until } from "../helpers/worker-process.ts";
import { calledMem, type Mem, servedMem } from "./mem.ts";

/** Starts a worker with these dead-lettered messages, oldest first; returns their ids. */
async function withDead(mem: Mem, errors: readonly string[]): Promise<number[]> {
  await mem("worker", "start");
  const db = new Database(mem.home.database);
  const now = Date.now();
  db.prepare(
    `insert into sessions
       (claude_session_id, sdk_session_id, project, host, created_at_epoch, last_active_at_epoch)
     values ('host-1', 'sdk-1', 'shop', 'api', ?, ?)`,
  ).run(now, now);
  const ids = errors.map((error, index) => {
    const at = now - (errors.length - index) * 3_600_000;
    const { lastInsertRowid } = db
      .prepare(
        `insert into raw_events (session_id, kind, event_key, payload, created_at_epoch)
         values (1, 'observation', ?, '{"type":"observation","tool_name":"Bash","tool_response":"a"}', ?)`,
      )
      .run(`key ${index}`, at);
    db.prepare(
      `insert into pending_messages (id, session_id, status, attempts, failures, last_error, created_at_epoch)
       values (?, 1, 'dead', 5, 5, ?, ?)`,
    ).run(lastInsertRowid, error, at);
    db.prepare("update message_counts set value = value + 1 where name = 'accepted'").run();
    return Number(lastInsertRowid);
  });
  db.close();
  return ids;
}

test("list shows failed messages with reasons; status and doctor point to it", async () => {
  const mem = servedMem();
  await withDead(mem, ["no JSON", "refused"]);
  const list = await mem("queue", "list", "--failed");
  expect(list.stdout).toMatch(/^\d+ +failed +2 h +5 +host-1 +shop +Bash\n {2}no JSON$/m);
  expect(list.stderr).toContain("mem queue retry --failed");
  expect((await mem("status")).stderr).toContain("mem queue list --failed");
  expect((await mem("doctor")).stdout).toContain("mem queue list --failed");
  const since = await mem("queue", "list", "--since", "90min", "--json");
  expect(JSON.parse(since.stdout)).toMatchObject({ total: 1, items: [{ last_error: "refused" }] });
  const page = await mem("queue", "list", "--limit", "1");
  expect(page.stderr).toContain("1 message of 2. Next: `--offset 1`.");
});

test("retry processes a message, drop removes it, and the counts stay right", async () => {
  const mem = servedMem();
  const [first, second, third] = await withDead(mem, ["a", "b", "c"]);
  const retried = await mem("queue", "retry", String(first), "999");
  // As with files that are gone: what could be done is done, and the exit code tells of the rest.
  expect(retried).toMatchObject({
    code: 66,
    stdout: "Retrying 1 message, 1 not in the queue.\n",
  });
  expect(await mem("queue", "drop", String(second), "--yes")).toMatchObject({
    code: 0,
    stdout: "Dropped 1 message.\n",
  });
  const dropped = await mem("queue", "drop", "--failed", "--yes", "--json");
  expect(JSON.parse(dropped.stdout)).toEqual({ dropped: 1, processing: 0, not_found: 0 });
  for (const words of [["retry"], ["retry", "--json"], ["drop", "--yes"], ["drop", "--yes", "--json"]]) {
    const gone = await mem("queue", ...words, String(third));
    expect(gone.code).toBe(66);
    if (!words.includes("--json")) expect(gone.stdout).toContain("1 not in the queue");
  }
  const { accepted, done, skipped, pending, processing, dead } = countsOf(mem);
  expect({ accepted, skipped, dead }).toEqual({ accepted: 3, skipped: 2, dead: 0 });
  expect(done + pending + processing).toBe(1);
});

test("drop without ids or --failed is an error of usage, and so are both", async () => {
  const mem = servedMem();
  for (const words of [[], ["--since", "7d"], ["--yes"], ["4711", "--failed"]]) {
    const { code, stderr } = await mem("queue", "drop", ...words);
    expect(code).toBe(64);
    expect(stderr).toContain("mem queue drop --help");
  }
});

test("without a terminal, drop removes nothing without --yes", async () => {
  const mem = servedMem();
  const [id] = await withDead(mem, ["a"]);
  for (const words of [["--failed"], [String(id)], ["--failed", "--json"]]) {
    const { code, stdout, stderr } = await mem("queue", "drop", ...words);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain("nothing was dropped");
    expect(stderr).toContain("--yes");
  }
  expect(countsOf(mem)).toMatchObject({ dead: 1 });
});

test("list and retry name the pause of the provider that messages wait for", async () => {
  const model = await startScriptedModel({ script: "rate-limited", retryAfterSeconds: 600 });
  onTestFinished(() => model.close());
  const mem = servedMem({ MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: `${model.url}/v1` });
  await withDead(mem, ["a", "b"]);
  await mem("queue", "retry");
  const paused = async () => (await mem("queue", "list")).stdout.includes("paused") || undefined;
  await until(paused, 20_000, "the pause");
  const list = await mem("queue", "list");
  // Shortly before midnight the time has its date.
  expect(list.stderr).toMatch(/^Compat is paused until ([\d-]{10} )?\d\d:\d\d: rate limited\.$/m);
  const db = new Database(mem.home.database);
  db.prepare("update pending_messages set status = 'dead'").run();
  db.close();
  const retried = await mem("queue", "retry");
  expect(retried.stdout).toBe("2 messages will be retried after the pause.\n");
  expect(retried.stderr).toMatch(/^Compat is paused until/);
  const again = await mem("queue", "retry");
  expect(again.stdout).toBe("No messages to retry.\n");
  expect(again.stderr).toMatch(/^Compat is paused until/);
});

test("an empty queue is said, not shown", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  expect(await mem("queue", "list")).toEqual({ code: 0, stdout: "", stderr: "The queue is empty.\n" });
  expect((await mem("queue", "retry")).stdout).toBe("No messages to retry.\n");
});

function countsOf(mem: Mem): Record<string, number> & { done: number; pending: number; processing: number } {
  const db = new Database(mem.home.database, { readonly: true });
  const states = db.prepare("select status, count(*) from pending_messages group by status").raw().all();
  const totals = db.prepare("select name, value from message_counts").raw().all();
  db.close();
  const none = { accepted: 0, done: 0, skipped: 0, pending: 0, processing: 0, dead: 0 };
  return { ...none, ...Object.fromEntries([...states, ...totals] as [string, number][]) };
}

test("a retry that ends a pause says so, and one that does not says until when", async () => {
  let answer = {
    retried: 0,
    waiting: 0,
    processing: 0,
    notFound: 0,
    resumed: true,
    waitsUntil: null as unknown,
  };
  const worker = await fakeWorker({
    on: "socket",
    answer: ({ url }, response) =>
      json(
        response,
        200,
        url === "/api/health"
          ? { provider: compat, queue: { depth: 3 }, paused: null, budget: null }
          : answer,
      ),
  });
  const mem = calledMem({ MEM_DATA_DIR: worker.dataDir });
  const lifted = "Resumed compat. 3 messages waiting.\n";
  expect((await mem("queue", "retry")).stdout).toBe(lifted);
  answer = { ...answer, retried: 2 };
  expect((await mem("queue", "retry")).stdout).toBe(`${lifted}Retrying 2 messages.\n`);
  answer = { ...answer, resumed: false, waitsUntil: Date.now() + 60_000 };
  expect((await mem("queue", "retry")).stderr).toMatch(
    /compat asked for a pause until ([\d-]{10} )?\d\d:\d\d:\d\d/,
  );
});

const compat = { name: "compat", active: "compat", model: "m" };
