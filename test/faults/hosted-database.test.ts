// A PostgreSQL that crashes and connections that are cut under load: what was acknowledged is there once, the server lives.
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { newId } from "../../src/core/ids.ts";
import { startServer } from "../helpers/hosted-processes.ts";
import { startOwnPostgres } from "../helpers/postgres.ts";
import { volume } from "../helpers/volume.ts";

const restarts = volume(3);
const cuts = volume(30, 6);
const clients = 16;

interface Load {
  acknowledged: Map<string, string>;
  /** Requests that had to be sent again. */
  repeated(): number;
  stop(): Promise<void>;
}

/** Clients that post events one after the other, each until it is acknowledged, always with the same key. */
function postEvents(url: string): Load {
  const agent = new Agent({ connections: clients });
  const acknowledged = new Map<string, string>();
  let stopping = false;
  let repeated = 0;

  async function post(key: string): Promise<void> {
    for (;;) {
      const answer = await request(`${url}/v1/events`, {
        method: "POST",
        dispatcher: agent,
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({
          sourceType: "api",
          eventType: "tool_use",
          occurredAtEpoch: 1_700_000_000_000,
          payload: { tool_name: "Bash", tool_input: { command: `echo ${key}` } },
        }),
      });
      const text = await answer.body.text();
      if (answer.statusCode === 201) {
        acknowledged.set(key, JSON.parse(text).event.id);
        return;
      }
      expect([503, 507]).toContain(answer.statusCode);
      repeated += 1;
      await delay(20);
    }
  }
  const running = Array.from({ length: clients }, async () => {
    while (!stopping) await post(newId());
  });
  return {
    acknowledged,
    repeated: () => repeated,
    async stop() {
      stopping = true;
      await Promise.all(running);
      await agent.close();
    },
  };
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Every event with its key, and how many of its jobs there are. */
async function stored(url: string): Promise<Map<string, { event: string; jobs: number }>> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ key: string; event: string; jobs: number }>(
      `select e.payload #>> '{tool_input,command}' as key, e.id as event, count(j.id)::int as jobs
        from mem.agent_events e
        left join mem.generation_jobs j on j.source_id = e.id
        group by e.id`,
    ),
  );
  const events = new Map(rows.map(({ key, event, jobs }) => [key.replace("echo ", ""), { event, jobs }]));
  expect(events.size).toBe(rows.length);
  return events;
}

async function demandAllThere(url: string, load: Load): Promise<void> {
  const events = await stored(url);
  const missing = [...load.acknowledged].filter(([key, id]) => events.get(key)?.event !== id);
  expect(missing).toEqual([]);
  expect([...events.values()].filter(({ jobs }) => jobs !== 1)).toEqual([]);
  expect(events.size).toBe(load.acknowledged.size);
}

test(`${restarts} crashes of PostgreSQL and ${cuts} cut connections under load lose and double nothing`, async () => {
  const own = await startOwnPostgres();
  let { postgres } = own;
  onTestFinished(async () => {
    await postgres.stop("immediate");
    own.remove();
  });
  const server = await startServer({ role: "all", databaseUrl: postgres.url });
  const load = postEvents(server.url);
  while (load.acknowledged.size < 50) await delay(20);
  for (let restart = 0; restart < restarts; restart += 1) {
    await postgres.stop("immediate");
    postgres = await own.again();
    const before = load.acknowledged.size;
    while (load.acknowledged.size < before + 20) await delay(20);
  }
  for (let cut = 0; cut < cuts; cut += 1) {
    await withClient(postgres.url, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'mem' and pid <> pg_backend_pid() order by random() limit 1`,
      ),
    );
    await delay(20);
  }
  const before = load.acknowledged.size;
  while (load.acknowledged.size < before + 20) await delay(20);
  await load.stop();
  expect(load.repeated()).toBeGreaterThan(0);
  await demandAllThere(postgres.url, load);
  expect(server.process.exitCode).toBeNull();
  expect(await server.stop()).toBe(0);
  // An outage writes one log line for each kind of failure, with a count, not one for each request.
  const lines = server.log().split("\n");
  expect(lines.filter((line) => /"stack"|_events|connectionParameters/.test(line))).toEqual([]);
  expect(lines.length).toBeLessThan(load.repeated() / 2 + 50);
}, 900_000);
