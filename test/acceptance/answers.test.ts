// The user's answers to the agent's questions, from the host's event to what an agent gets.
import { expect, test } from "vitest";
import { callMem } from "../cli/mem.ts";
import { drained, startWorker, workerHome } from "../helpers/worker-process.ts";

test("an answer of a skipped tool reaches the context; all messages are counted", async () => {
  const home = workerHome({ MEM_PROVIDER: "local" });
  const worker = await startWorker(home);
  const send = (event: string, payload: object) =>
    worker.post(`/api/hooks/claude-code/${event}`, {
      ...{ hook_event_name: event, session_id: "s-1", cwd: "/home/user/shop" },
      ...payload,
    });
  const question = "Which rates should the invoices use?";
  const options = [
    { label: "ECB", description: "Daily" },
    { label: "Own table", description: "By hand" },
  ];
  const questions = [{ question, header: "Rates", options, multiSelect: false }];
  await send("UserPromptSubmit", { prompt: "Convert the invoices to euro" });
  await send("PostToolUse", {
    tool_name: "AskUserQuestion",
    tool_use_id: "toolu_1",
    tool_input: { questions },
    tool_response: { questions, answers: { [question]: "ECB" } },
  });
  await send("PostToolUse", { tool_name: "TodoWrite", tool_use_id: "toolu_2", tool_input: { todos: [] } });
  await send("Stop", { last_assistant_message: "The invoices are converted in `src/invoice.ts`." });
  await drained(worker);
  const quote = `${question} ECB (not Own table)`;
  const start = await callMem(home, ["context", "--project", "shop"]);
  expect(start.stdout).toContain(quote);
  const { items } = (await worker.get("/api/observations?limit=50")).body as { items: { title: string }[] };
  expect(items.filter(({ title }) => title.includes("rates")).map(({ title }) => title)).toEqual([quote]);
  const { body } = await worker.get("/api/processing-status");
  expect(body).toMatchObject({ accepted: 3, done: 2, skipped: 1, pending: 0, processing: 0, dead: 0 });
});
