import { afterAll, expect, test } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { startWorker, workerHome } from "../helpers/worker-process.ts";

const flood = (piece: string) => piece.repeat(Math.ceil(900_000 / piece.length));

const hook = (event: string, payload: object) => ({
  path: `/api/hooks/claude-code/${event}`,
  body: { session_id: "s-1", cwd: "/home/user/demo", prompt_id: "p-1", ...payload },
});

function toolUse(id: string, tool_response: string) {
  return hook("PostToolUse", {
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: id },
    tool_response,
  });
}

function storedIn(path: string): string[] {
  const db = new Database(path, { readonly: true });
  const ids = db.prepare("select event_key from raw_events order by id").pluck().all() as string[];
  db.close();
  return ids;
}

const ways: [string, { path: string; body: object }][] = [
  ["a tool use of a host", toolUse("t-1", flood("token "))],
  ["a prompt of a host", hook("UserPromptSubmit", { prompt: flood("pass:") })],
  ["a last message of a host", hook("Stop", { last_assistant_message: flood("api_key: ") })],
  ["an event of no known kind", hook("Novelty", { text: flood("password=") })],
  [
    "a tool use of a client",
    {
      path: "/api/sessions/observations",
      body: { claudeSessionId: "s-2", tool_name: "Bash", tool_response: flood("AKIA ") },
    },
  ],
  [
    "a prompt of a client",
    { path: "/api/sessions/init", body: { claudeSessionId: "s-2", prompt: flood("<private>x</private> ") } },
  ],
];

const worker = await startWorker(workerHome({}, sharedTempDir()), undefined, afterAll);

test.each(ways)("other requests are answered while %s is cleaned", async (_, { path, body }) => {
  const order: string[] = [];
  const large = worker.post(path, body).then(({ status }) => {
    order.push("large");
    return status;
  });
  await askUntil(large, order);
  expect(await large).toBe(200);
  // The first could be answered before the body is there.
  expect(order.slice(0, 3)).toEqual(["health", "health", "health"]);
});

async function askUntil(done: Promise<unknown>, order: string[]): Promise<void> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await worker.get("/api/health");
    order.push("health");
  }
}

test("a worker stopped while cleaning a large event stores it before the reply", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  await worker.post(toolUse("t-0", "").path, toolUse("t-0", "").body);
  const { path, body } = toolUse("t-1", flood("token "));
  const large = worker.post(path, body).catch(() => undefined);
  await worker.get("/api/health");
  await worker.get("/api/health");
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  const answer = await large;
  const stored = storedIn(home.database);
  expect(stored).toContain("t-0");
  if (answer?.status === 200) expect(stored).toContain("t-1");
});
