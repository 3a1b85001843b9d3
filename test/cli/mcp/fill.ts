// A memory with a few records of a project, put there through the worker's routes.

import { readWorkerAddress } from "../../../src/client/worker-address.ts";
import { createWorkerClient } from "../../../src/client/worker-client.ts";
import type { Mem } from "../mem.ts";

/** A prompt, two observations and one of another project. */
export async function fillMemory(mem: Mem): Promise<void> {
  await mem("worker", "start");
  const worker = createWorkerClient({ dataDir: mem.home.dataDir });
  await worker.postSession("init", {
    claudeSessionId: "s",
    project: "shop",
    prompt: "why does the login loop?",
  });
  await worker.close();
  await record(mem, {
    claudeSessionId: "s",
    project: "shop",
    title: "Fixed the login redirect",
    obs_type: "bugfix",
    narrative: "The cookie was set too late.\nIt is set before the redirect now.",
    facts: ["302 looped"],
    files_modified: ["src/login.ts"],
  });
  await record(mem, { claudeSessionId: "s", project: "shop", title: "Ran the tests" });
  await record(mem, { claudeSessionId: "w", project: "web", title: "Drew a button" });
}

/** Records an observation, starting the worker when it is down. */
export async function record(
  mem: Mem,
  observation: { claudeSessionId: string; project: string; title: string } & Record<string, unknown>,
): Promise<void> {
  if (readWorkerAddress(mem.home.dataDir) === null) await mem("worker", "start");
  const port = readWorkerAddress(mem.home.dataDir)?.port;
  const answer = await fetch(`http://127.0.0.1:${port}/observations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(observation),
  });
  if (answer.status !== 201) throw new Error(`the observation was not recorded: ${await answer.text()}`);
}
