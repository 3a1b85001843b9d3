// The kill test: a supervisor kills the worker again and again under clients that post and retry, and compares what
// was acknowledged with what is stored. MEM_TEST_SEED repeats a run.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { auditMessages } from "../helpers/message-audit.ts";
import { startPostingClients } from "../helpers/posting-clients.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import {
  drained,
  processesOf,
  startWorker,
  until,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

const kills = volume(16, 4);
const seed = testSeed();

test(
  `${kills} kills under 8 clients lose and double nothing and keep counts (seed ${seed})`,
  async () => {
    const home = workerHome();
    const random = createRandom(seed);
    const clients = startPostingClients(8, seed);
    const faults: string[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const worker = await startWorker(home);
      faults.push(...(await countFaults(worker)));
      clients.aim(worker);
      await sleep(random.between(20, 300));
      // On a busy machine the clients need longer to have something to lose.
      await until(() => clients.ledger.queued.size > kill || undefined, 30_000, "a post for every kill");
      await worker.kill();
      clients.aim(undefined);
      const audit = auditMessages(home.database, clients.ledger.queued, {
        pages: kill === kills || kill % 8 === 0,
      });
      faults.push(...audit.faults.map((fault) => `after kill ${kill}: ${fault}`));
      if (faults.length > 0) break;
    }
    const last = await startWorker(home);
    clients.aim(last);
    await clients.stop();
    expect(faults).toEqual([]);
    expect(clients.ledger.queued.size, "too few posts to prove anything").toBeGreaterThan(kills);
    await drained(last);
    expect(await last.stop()).toEqual({ code: 0, signal: null });
    const audit = auditMessages(home.database, clients.ledger.queued);
    expect(audit.faults).toEqual([]);
    expect([...audit.stored].sort()).toEqual([...clients.ledger.queued].sort());
    expect(processesOf(home)).toEqual([]);
    console.log(
      `kill test: ${kills} kills, ${clients.ledger.queued.size} acknowledged, ${clients.ledger.retries} retries: 0 lost, 0 doubled`,
    );
  },
  240_000 + kills * 3_000,
);

const accountedFor = ["done", "skipped", "pending", "processing", "dead"] as const;
type Part = (typeof accountedFor)[number];

async function countFaults(worker: WorkerProcess): Promise<string[]> {
  const { body } = await worker.get("/api/processing-status");
  const { accepted, ...parts } = body as Record<Part | "accepted", number>;
  // A part that is missing makes the sum no number.
  const sum = accountedFor.reduce((all, part) => all + parts[part], 0);
  return accepted === sum ? [] : [`/api/processing-status does not add up: ${JSON.stringify(body)}`];
}
