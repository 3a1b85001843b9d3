import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startWorker, type WorkerHome, workerHome } from "../helpers/worker-process.ts";

interface LogLine {
  level: number;
  msg: string;
}

const warnLevel = 40;

// An answer shows that the start is over: a worker that is stopped before that writes no log.
async function startAndStop(home: WorkerHome): Promise<void> {
  const worker = await startWorker(home);
  await worker.get("/api/health");
  await worker.stop();
}

function securityLines({ dataDir }: WorkerHome): LogLine[] {
  const lines = readFileSync(join(dataDir, "logs", "worker.log"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): LogLine => JSON.parse(line)).filter(({ msg }) => msg.includes("SECURITY"));
}

describe("an address that other machines can reach", () => {
  test.each([
    ["0.0.0.0", [1, 2]],
    ["::", [1]],
  ])("%s without a TV token logs a SECURITY warning at every start", async (host, starts) => {
    const home = workerHome({ MEM_WORKER_HOST: host });
    for (const start of starts) {
      await startAndStop(home);
      const lines = securityLines(home);
      expect(lines).toHaveLength(start);
      expect(lines.at(-1)).toMatchObject({ level: warnLevel, msg: expect.stringContaining(host) });
    }
  });

  test.each([
    { MEM_WORKER_HOST: "0.0.0.0", MEM_TV_TOKEN: "a-token-of-this-test" },
    { MEM_WORKER_HOST: "127.0.0.1" },
    { MEM_WORKER_HOST: "LocalHost" },
  ])("no SECURITY warning for %o", async (env) => {
    const home = workerHome(env);
    await startAndStop(home);
    expect(securityLines(home)).toEqual([]);
  });
});
