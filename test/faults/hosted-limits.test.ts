// A cap that two processes hold together, on a quiet machine and on one that is busy with other things.
import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { loadavg } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { type ServerProcess, startServer } from "../helpers/hosted-processes.ts";
import { addTestKey, type TestKey } from "../helpers/hosted-server.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { volume } from "../helpers/volume.ts";

const rounds = volume(3);
const cap = 100;
const together = 400;
const database = await openTestDatabase();

interface Node extends ServerProcess {
  skipped(): Promise<number>;
}

async function startNode(): Promise<Node> {
  const port = await freePort();
  const node = await startServer({
    role: "http",
    databaseUrl: database.url,
    env: {
      MEM_AUTH_MODE: "api-key",
      MEM_MONTHLY_REQUEST_CAP: String(cap),
      MEM_RATE_LIMIT_PER_MIN: "1000",
      MEM_METRICS_PORT: String(port),
    },
  });
  return {
    ...node,
    async skipped() {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^mem_guards_skipped_total (\d+)/m.exec(text)?.[1]);
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Two processes that only count, at most for ten minutes. */
function keepBusy(): void {
  const text = "const end = Date.now() + 600_000; while (Date.now() < end);";
  const loops = [0, 1].map(() => spawn(process.execPath, ["-e", text], { stdio: "ignore" }));
  onTestFinished(() => {
    for (const loop of loops) loop.kill("SIGKILL");
  });
}

/** Sends all requests concurrently, to each node in turn; returns the statuses. */
function burst(nodes: readonly Node[], { apiKey }: TestKey): Promise<number[]> {
  const agent = new Agent({ maxSockets: together });
  const get = (url: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const sent = request(`${url}/v1/projects`, { agent, headers }, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
      });
      sent.once("error", reject).end();
    });
  return Promise.all(Array.from({ length: together }, (_, at) => get(nodes[at % nodes.length]?.url ?? "")));
}

async function counted({ team_id }: TestKey): Promise<number> {
  const { rows } = await database.system.query<{ total: number }>({
    text: "select total::int as total from usage_rollups where team_id = $1 and kind = 'request'",
    values: [team_id],
  });
  return rows[0]?.total ?? 0;
}

test(
  "400 requests over two processes pass a cap of 100 only if counted as skipped",
  async () => {
    const nodes = await Promise.all([startNode(), startNode()]);
    const skippedNow = async () =>
      (await Promise.all(nodes.map((node) => node.skipped()))).reduce((sum, each) => sum + each, 0);
    const passed: number[] = [];
    let before = 0;
    for (let round = 0; round < 2 * rounds; round += 1) {
      if (round === rounds) keepBusy();
      const key = await addTestKey(database, { team: `round ${round}` });
      const statuses = await burst(nodes, key);
      const letThrough = statuses.filter((status) => status === 200).length;
      passed.push(letThrough);
      const skipped = await skippedNow();
      expect(new Set(statuses)).toEqual(new Set([200, 402]));
      expect(await counted(key)).toBe(cap);
      // What is over the cap passed uncounted, and was said to.
      expect(letThrough).toBeGreaterThanOrEqual(cap);
      expect(letThrough - cap).toBeLessThanOrEqual(skipped - before);
      before = skipped;
    }
    console.log(`limits: ${passed.join(" ")}; skipped ${before}; load ${loadavg()[0]?.toFixed(1)}`);
  },
  60_000 + rounds * 40_000,
);
