import { expect, onTestFinished, test } from "vitest";
import { regenerationState } from "../../src/http/schemas/regenerate.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { startScriptedModel } from "../helpers/scripted-model.ts";
import { drained, startWorker, until, type WorkerProcess, workerHome } from "../helpers/worker-process.ts";

const messages = 60;

interface Written {
  generator: string;
  upgrade: 0 | 1;
  n: number;
}

/** Who wrote what, how many raw events have a record, and whether any stands twice. */
function readMemory(path: string) {
  const db = new Database(path, { readonly: true });
  try {
    const written = db
      .prepare<[], Written>(
        "select generator, upgrade, count(*) as n from observations group by generator, upgrade order by generator",
      )
      .all();
    const count = (sql: string): number => db.prepare<[], { n: number }>(sql).get()?.n ?? -1;
    return {
      written,
      covered: count("select count(distinct raw_event_id) as n from observation_sources"),
      twice: count(
        "select count(*) as n from (select 1 from observation_sources group by raw_event_id having count(*) > 1)",
      ),
      unindexed: count(
        "select (select count(*) from observations) - (select count(*) from observations_fts) as n",
      ),
      spent: count("select coalesce(sum(input_tokens + output_tokens), 0) as n from model_calls"),
    };
  } finally {
    db.close();
  }
}

async function post(worker: WorkerProcess, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    const { status } = await worker.post("/api/sessions/observations", {
      claudeSessionId: `session-${n % 3}`,
      tool_name: "Edit",
      tool_input: {
        file_path: `/p/src/file-${n}.ts`,
        old_string: `a${n}`,
        new_string: `b${n} ${"x".repeat(200)}`,
      },
      tool_response: { ok: true },
    });
    expect(status).toBe(200);
  }
}

async function complete(worker: WorkerProcess): Promise<void> {
  for (let n = 0; n < 3; n++)
    await worker.post("/api/sessions/complete", { claudeSessionId: `session-${n}` });
}

async function stateOf(worker: WorkerProcess) {
  return regenerationState.parse((await worker.get("/api/regenerate")).body);
}

test("regenerates what local wrote after a spent budget, across a kill -9", async () => {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const settings = {
    MEM_PROVIDER: "compat",
    MEM_COMPAT_BASE_URL: model.url,
    MEM_COMPAT_API_KEY: "not-a-real-key",
    MEM_COMPAT_MODEL: "scripted-model-1",
  };
  const home = workerHome({ ...settings, MEM_DAILY_TOKEN_BUDGET: "4000" });

  // The first call uses more than half of the budget: none fits after it, however the rest is divided into calls.
  const poor = await startWorker(home);
  await post(poor, 0, 1);
  await complete(poor);
  await drained(poor);
  await post(poor, 1, messages);
  await complete(poor);
  await drained(poor);
  const health = JSON.stringify((await poor.get("/api/health")).body);
  expect(health).toMatch(
    /the daily budget of 4,000 tokens has [\d,]+ left, too few for a call; local writes until/,
  );
  await poor.stop();
  const before = readMemory(home.database);
  const waiting = before.written.find(({ generator }) => generator === "local");
  expect(waiting).toMatchObject({ upgrade: 1 });
  expect(before.covered).toBe(messages);
  // One call fits, and what does not is not begun.
  expect(before.spent).toBeGreaterThan(0);
  expect(before.spent).toBeLessThanOrEqual(4_000);
  const calls = model.requests.length;
  Object.assign(home.env, { MEM_DAILY_TOKEN_BUDGET: "0" });
  const rich = await startWorker(home);
  model.play(({ index }) => (index < calls + 1 ? "ok" : "hang"));
  await rich.post("/api/regenerate", {});
  await until(async () => model.requests.length >= calls + 2 || undefined, 20_000, "a call that hangs");
  expect(await stateOf(rich)).toMatchObject({ running: true });
  await rich.kill();
  model.play("ok");
  const again = await startWorker(home);
  expect(await stateOf(again)).toMatchObject({
    running: false,
    stoppedBecause: "the worker was restarted",
  });
  await again.post("/api/regenerate", { resume: true });
  await until(async () => !(await stateOf(again)).running || undefined, 20_000, "the end of it");
  expect(await stateOf(again)).toMatchObject({ left: 0, failed: 0, stoppedBecause: null });
  const counts = (await again.get("/api/processing-status")).body;
  expect(counts).toMatchObject({ accepted: messages, done: messages, pending: 0, processing: 0, dead: 0 });
  await again.stop();
  const after = readMemory(home.database);
  expect(after.written).toMatchObject([{ generator: "scripted-model-1", upgrade: 0 }]);
  expect(after).toMatchObject({ covered: messages, twice: 0, unindexed: 0 });
});
