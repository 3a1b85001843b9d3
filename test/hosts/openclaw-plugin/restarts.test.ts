// The OpenClaw plugin when its worker stops or starts.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../helpers/eventually.ts";
import {
  drained,
  processesOf,
  startWorker,
  type WorkerProcess,
  workerHome,
} from "../../helpers/worker-process.ts";
import { gatewayDouble, turn } from "./gateway-double.ts";

async function items(worker: WorkerProcess, path: string): Promise<unknown> {
  return ((await worker.get(path)).body as { items: unknown }).items;
}

describe("a worker that restarts", () => {
  test("gets the events that came meanwhile", async () => {
    const home = workerHome();
    const gateway = gatewayDouble({ deps: { environment: home.env } });
    const first = await startWorker(home);
    gateway.emit("gateway_start");
    await gateway.settled();
    await first.stop();
    // Its runtime is gone: the plugin cannot start a worker itself.
    rmSync(join(home.dataDir, "hook-runtime"));
    await turn(gateway);
    await gateway.settled();
    expect(gateway.warnings).toEqual([expect.stringContaining("was not delivered")]);
    const second = await startWorker(home);
    await eventually(async () => expect(await items(second, "/api/summaries")).toHaveLength(1));
    await drained(second);
    expect(await items(second, "/sessions")).toMatchObject([{ host: "openclaw", prompt_count: 1 }]);
    expect(await items(second, "/api/observations")).toHaveLength(1);
    await turn(gateway, { event: { prompt: "And now?" }, ctx: { runId: "run-2" } });
    await gateway.settled();
    expect(await items(second, "/sessions")).toMatchObject([{ prompt_count: 2 }]);
  });

  test("is started by the gateway's start", async () => {
    const home = workerHome();
    const first = await startWorker(home);
    await first.kill();
    onTestFinished(() => {
      for (const pid of processesOf(home)) process.kill(pid, "SIGKILL");
    });
    const gateway = gatewayDouble({ deps: { environment: home.env } });
    gateway.emit("gateway_start");
    await gateway.settled();
    await eventually(async () => expect(await gateway.command("mem_status")).toContain("Worker: ok"));
  });
});
