// Two sessions of a host, sent through its hooks: the first one works, the second one gets context from it.
import { loadDemoSession, nextSession } from "../../src/cli/demo-session.ts";
import type { CalledWorker } from "../helpers/called-worker.ts";
import { drained } from "../helpers/worker-process.ts";

const host = "claude-code";

/** Id of the host's second session. */
export const injectedSession = "00000000-0000-4000-8000-0000000000d2";
/** What the second session is asked. */
export const injectedPrompt = "Customers say that they have to log in again after each deploy.";
/** The sub-agent of the second session. */
export const subAgent = "a8c1d2e3f405";

/** Sends both sessions and waits for their records. */
export async function sendInjectedSession(worker: CalledWorker): Promise<void> {
  const steps = loadDemoSession();
  for (const { name, payload } of steps) await send(worker, name, payload);
  await drained(worker);
  const { start, prompt } = nextSession(steps);
  await send(worker, start.name, start.payload);
  // The start had everything else.
  const text = "When customers have to log in again after a deploy, restart the session store first.";
  await worker.post("/api/rules", { text, project: "shop", reach: "project" });
  await send(worker, prompt.name, prompt.payload);
  const base = { ...prompt.payload, prompt: undefined };
  const read = { tool_name: "Read", tool_input: { file_path: "/home/user/shop/src/auth/session.ts" } };
  await send(worker, "PreToolUse", { ...base, hook_event_name: "PreToolUse", ...read });
  await send(worker, "PreToolUse", {
    ...base,
    hook_event_name: "PreToolUse",
    ...read,
    agent_id: subAgent,
    agent_type: "Explore",
  });
  await send(worker, "PostToolUse", {
    ...base,
    hook_event_name: "PostToolUse",
    tool_name: "Edit",
    tool_use_id: "toolu_told_1",
    tool_input: {
      file_path: "/home/user/shop/deploy/staging.env",
      old_string: "A=1",
      new_string: "A=1\nSESSION_SECRET=x",
    },
    tool_response: { filePath: "/home/user/shop/deploy/staging.env" },
  });
  await drained(worker);
}

async function send(worker: CalledWorker, event: string, payload: unknown): Promise<void> {
  const { status, body } = await worker.post(`/api/hooks/${host}/${event}`, payload);
  if (status !== 200) throw new Error(`${event}: ${status} ${JSON.stringify(body)}`);
}
