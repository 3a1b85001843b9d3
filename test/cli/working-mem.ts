// A `mem` whose worker has made observations of files that are really there.
import { onTestFinished } from "vitest";
import { createWorkerClient, type WorkerClient } from "../../src/client/worker-client.ts";
import type { Observation } from "../../src/core/records/records.ts";
import { until } from "../helpers/worker-process.ts";
import { type Mem, servedMem } from "./mem.ts";

export interface WorkingMem {
  mem: Mem;
  client: WorkerClient;
  /** A session in `cwd` that edits the file; the observation that is made of it. */
  edit(cwd: string, file: string, content: string): Promise<Observation>;
}

/** `mem` is a `calledMem` where its commands stop or restart the worker. */
export async function workingMem(mem = servedMem()): Promise<WorkingMem> {
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  onTestFinished(() => client.close());
  let made = 0;
  return {
    mem,
    client,
    async edit(cwd, file, content) {
      made += 1;
      const session = { claudeSessionId: `session in ${cwd}`, cwd };
      await client.postSession("init", { ...session, prompt: `Work on it, part ${made}` });
      await client.postSession("observations", {
        ...session,
        tool_name: "Write",
        tool_input: { file_path: file, content },
        tool_response: { type: "create" },
        tool_use_id: `use-${made}`,
      });
      const newest = await until(
        async () => (await client.observations()).items.find(({ id }) => id === made),
        30_000,
        "the observation",
      );
      return newest;
    },
  };
}
