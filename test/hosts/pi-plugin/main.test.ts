// The Pi extension with events as Pi 1.6 sends them, against a real worker.
import { beforeEach, expect, test } from "vitest";
import { memExtension } from "../../../src/hosts/pi-plugin/main.ts";
import { type CalledWorker, serveIn } from "../../helpers/called-worker.ts";
import { drained, workerHome } from "../../helpers/worker-process.ts";

type Emit = (name: string, event: object, session?: string) => Promise<unknown>;

let worker: CalledWorker;
let emit: Emit;
beforeEach(async () => {
  const home = workerHome();
  worker = await serveIn(home);
  const handlers = new Map<string, Parameters<Parameters<typeof memExtension>[0]["on"]>[1]>();
  memExtension({ on: (name, handler) => handlers.set(name, handler) }, null, "pi", home.env);
  emit = async (name, event, session = "s-1") =>
    handlers.get(name)?.(event, { cwd: "/home/user/demo", sessionManager: { getSessionId: () => session } });
  return () => worker.stop();
});

async function stored(path: string): Promise<string> {
  return JSON.stringify((await worker.get(path)).body);
}

const prompt = (text: string, session?: string) =>
  emit("before_agent_start", { messageType: "user", prompt: text }, session);

test("a session of Pi becomes records, and the next one gets its rule once", async () => {
  expect(await prompt("Always use pnpm, never npm. Look at the limit.")).toBeUndefined();
  const failed = [{ type: "text", text: "bad\n\n\nCommand exited with code 3" }];
  const call = { toolCallId: "call_1", toolName: "bash", input: { command: "make limit" } };
  await emit("tool_result", { ...call, content: failed, isError: true });
  const text = "The limit was 3 because the default was wrong.";
  await emit("agent_end", { messages: [{ role: "assistant", content: [{ type: "text", text }] }] });
  await emit("agent_settled", {});
  await emit("session_shutdown", { reason: "quit" });
  await drained(worker);
  expect(await stored("/api/observations")).toContain("failed with exit code 3");
  expect(await stored("/api/observations")).toContain("the default was wrong");
  const told = JSON.stringify(await prompt("Go on.", "s-2"));
  expect(told).toMatch(/"customType":"mem".*Always use pnpm, never npm/);
  expect(await prompt("And now?", "s-2")).toBeUndefined();
});

test("a fork gets nothing again, and a run that an extension starts is no prompt", async () => {
  await worker.post("/api/rules", { text: "Never edit generated files.", reach: "everywhere" });
  await emit("session_start", { reason: "fork" });
  expect(await prompt("Go on.")).toBeUndefined();
  expect(await emit("before_agent_start", { messageType: "custom" }, "s-3")).toBeUndefined();
  expect(JSON.stringify(await prompt("Start.", "s-4"))).toContain("Never edit generated files.");
});

test("a tool result of Pi gets a rule about its command behind its own text", async () => {
  await worker.post("/api/rules", { text: "Never force push.", reach: "everywhere" });
  const call = { toolCallId: "call_2", toolName: "bash", input: { command: "git push --force" } };
  const result = await emit("tool_result", { ...call, content: [{ type: "text", text: "pushed" }] });
  expect(JSON.stringify(result)).toMatch(
    /^{"content":\[{"type":"text","text":"pushed"},.*Never force push\./,
  );
});
