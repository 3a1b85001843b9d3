// The built worker with a model that returns statements: what was said is remembered, what was made up is not.
import { describe, expect, onTestFinished, test } from "vitest";
import { callMem } from "../cli/mem.ts";
import { startScriptedModel } from "../helpers/scripted-model.ts";
import { drained, startWorker, type WorkerProcess, workerHome } from "../helpers/worker-process.ts";

const prompt = "The export loses its header, please fix it. We use pnpm here, never npm.";
const closing = "Fixed: the header was lost because writeRow ran before the stream was open.";

const statements = [
  { kind: "rule", said_by: "user", quote: "We use pnpm here, never npm.", standing: true },
  { kind: "rule", said_by: "user", quote: "Always deploy to zanzibar on Fridays.", standing: true },
  { kind: "rule", said_by: "agent", quote: "writeRow ran before the stream was open", standing: true },
  { kind: "cause", said_by: "agent", quote: "the header was lost because writeRow ran before the stream" },
];

/** Answers each request: one observation of all tool uses, and the statements with each summary. */
function answer(asked: string): string {
  const isEnd = /^A summary is asked for\.$/m.test(asked);
  const uses = [...asked.matchAll(/^\[(\d+)\] (?!The end)/gm)].map(([, number]) => Number(number));
  const made = {
    type: "change",
    title: "The writer waits for the stream",
    narrative: "It did not.",
    sources: uses,
  };
  return JSON.stringify({
    observations: uses.length === 0 ? [] : [made],
    ...(isEnd ? { summary: { request: "Fix the export" }, statements } : {}),
    nothing: uses.length === 0 && !isEnd,
  });
}

async function turn(worker: WorkerProcess): Promise<void> {
  const session = { claudeSessionId: "s1", cwd: "/home/user/shop" };
  await worker.post("/api/sessions/init", { ...session, prompt });
  await worker.post("/api/sessions/observations", {
    ...session,
    tool_name: "Bash",
    tool_input: { command: "pnpm test export" },
    tool_response: { stdout: "12 passed", exit_code: 0 },
  });
  const said = { last_user_message: prompt, last_assistant_message: closing };
  const { status } = await worker.post("/api/sessions/summarize", { ...session, ...said });
  expect(status).toBe(200);
  await worker.post("/api/sessions/complete", { claudeSessionId: "s1" });
  await drained(worker);
}

interface Row {
  title: string;
  generator: string;
  said_by: string | null;
  standing: 0 | 1;
}

async function rows(worker: WorkerProcess): Promise<Row[]> {
  const { body } = await worker.get("/api/observations?limit=100");
  return (body as { items: Row[] }).items;
}

async function world(env: NodeJS.ProcessEnv = {}) {
  const model = await startScriptedModel({ answer });
  onTestFinished(() => model.close());
  const home = workerHome({ MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: `${model.url}/v1`, ...env });
  return { model, home, worker: await startWorker(home) };
}

const rule = { title: "We use pnpm here, never npm.", said_by: "user", standing: 1 };

describe("a worker with a model", () => {
  test("stores, finds and injects the rule that the user said, and not the invented one", async () => {
    const { model, worker } = await world();
    await turn(worker);
    const stored = await rows(worker);
    expect(stored.filter(({ said_by }) => said_by !== null)).toHaveLength(2);
    expect(stored).toContainEqual(expect.objectContaining(rule));
    expect(stored).toContainEqual(expect.objectContaining({ said_by: "agent", standing: 0 }));
    const search = async (query: string) =>
      JSON.stringify((await worker.get(`/api/search?query=${query}`)).body);
    expect(await search("pnpm")).toContain("never npm");
    expect(await search("zanzibar")).not.toContain("deploy");
    const context = await worker.get("/api/context/inject?project=shop");
    expect(JSON.stringify(context.body)).toContain("never npm");
    expect(JSON.stringify(context.body)).not.toContain("zanzibar");
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.prompt).toContain("A summary is asked for.");
  });

  test("finds the statements of a turn again that local wrote while the budget was spent", async () => {
    const { home, worker } = await world({ MEM_DAILY_TOKEN_BUDGET: "1" });
    await turn(worker);
    await worker.stop();
    const rich = { ...home, env: { ...home.env, MEM_DAILY_TOKEN_BUDGET: "0" } };
    const next = await startWorker(rich);
    expect(await callMem(rich, ["regenerate", "--yes"])).toMatchObject({ code: 0 });
    const stored = await rows(next);
    expect(stored.filter(({ title }) => title === rule.title)).toEqual([expect.objectContaining(rule)]);
    expect(stored.filter(({ said_by }) => said_by === "agent")).toMatchObject([
      {
        title: expect.stringContaining("because writeRow ran before the stream was open"),
        generator: expect.not.stringMatching("^local$"),
      },
    ]);
    expect(JSON.stringify(stored)).not.toContain("zanzibar");
  });
});
