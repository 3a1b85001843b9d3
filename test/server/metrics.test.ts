import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createStderrLog } from "../../src/core/log.ts";
import { buildServer } from "../../src/server/build.ts";
import { createHostedGeneration } from "../../src/server/generation/generation.ts";
import { createMetricsPort } from "../../src/server/metrics-port.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { loadServerSettings } from "../../src/settings/server.ts";
import { openDatabase } from "../../src/store/postgres/open.ts";
import { modelServer } from "../generate/providers/model-server.ts";
import { enqueueEvent, makeTenant } from "../helpers/hosted-jobs.ts";
import { addTestKey } from "../helpers/hosted-server.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const database = await openTestDatabase();
// Its jobs are worked on.
const generating = await openTestDatabase();
const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

/** The samples of an answer of /metrics, by name and labels. */
async function scrape(url: string): Promise<Map<string, number>> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

async function openMetrics(over = database) {
  const port = createMetricsPort({ database: over, clock: systemClock, version: "1.2.3", role: "http" });
  const address = await port.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => port.close());
  return { port, url: `http://127.0.0.1:${address.port}/metrics` };
}

test("exposes requests, events, refusals, jobs and connections without tenants", async () => {
  const { port, url } = await openMetrics();
  const server = buildServer({
    database,
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    metrics: port,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  onTestFinished(() => server.close());
  const key = await addTestKey(database, { team: "acme", project: "shop" });
  const headers = { host: "x", authorization: `Bearer ${key.apiKey}` };
  const event = { sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1, payload: "ls" };
  const post = (path: string, body: unknown, more = {}) =>
    server.app.inject({
      method: "POST",
      url: path,
      headers: { ...headers, ...more },
      payload: body as object,
    });
  await post("/v1/events", event, { "idempotency-key": "one" });
  await post("/v1/events", event, { "idempotency-key": "one" });
  const toolUse = {
    claudeSessionId: "s",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "t",
  };
  await post("/api/sessions/observations", toolUse);
  await post("/api/sessions/observations", toolUse);
  await post("/v1/events/batch", { events: [event, { ...event, serverSessionId: key.id }, event] });
  await server.app.inject({ url: `/v1/events/${key.id}`, headers });
  await server.app.inject({ url: "/v1/events/x", headers: { host: "x" } });
  await server.app.inject({ method: "PUT", url: "/nothing/here", headers: { host: "x" } });
  await database.system.query({
    text: "update generation_jobs set created_at = now() - interval '1 hour' where team_id = $1",
    values: [key.team_id],
  });
  const samples = await scrape(url);
  const requests = (method: string, route: string, status: number) =>
    samples.get(
      `mem_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
    );
  expect(requests("POST", "/v1/events", 201)).toBe(2);
  expect(requests("GET", "/v1/events/:id", 404)).toBe(1);
  expect(requests("GET", "/v1/events/:id", 401)).toBe(1);
  expect(requests("any", "none", 404)).toBe(1);
  expect(samples.get("mem_events_stored_total")).toBe(4);
  expect(samples.get('mem_authentication_failures_total{reason="refused"}')).toBe(1);
  for (const name of ["mem_guards_skipped_total", "mem_usage_lost_total", "mem_audit_lost_total"])
    expect(samples.get(name)).toBe(0);
  expect(samples.get('mem_jobs{status="queued"}')).toBe(4);
  expect(samples.get("mem_jobs_oldest_queued_seconds")).toBeGreaterThanOrEqual(3_600);
  expect(samples.get('mem_database_connections{pool="app",state="idle"}')).toBeGreaterThan(0);
  expect(samples.get('mem_build_info{version="1.2.3",role="http"}')).toBe(1);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  const told = [...samples.keys()].join("\n");
  for (const secret of [key.id, key.apiKey, key.team_id, String(key.project_id), "acme", "shop"])
    expect(told).not.toContain(secret);
});

test("caches job counts, and omits them when the database does not answer", async () => {
  const own = openDatabase({ url: database.url, onConnectionLost: () => undefined });
  const { url } = await openMetrics({ ...database, ...own });
  await enqueueEvent(database, await makeTenant(database), { turn: false });
  const before = (await scrape(url)).get('mem_jobs{status="queued"}') ?? 0;
  expect(before).toBeGreaterThan(0);
  await enqueueEvent(database, await makeTenant(database), { turn: false });
  expect((await scrape(url)).get('mem_jobs{status="queued"}')).toBe(before);
  await own.close();
  const lost = await openMetrics({ ...database, ...own });
  const samples = await scrape(lost.url);
  expect([...samples.keys()].filter((name) => name.startsWith("mem_jobs"))).toEqual([]);
  expect(samples.get('mem_database_connections{pool="app",state="used"}')).toBe(0);
});

test("exposes calls, tokens and batches by provider and outcome", async () => {
  const { port, url } = await openMetrics();
  const own = openDatabase({ url: generating.url, onConnectionLost: () => undefined });
  const model = await modelServer();
  const env = {
    MEM_PROVIDER: "compat",
    MEM_COMPAT_BASE_URL: model.url,
    MEM_COMPAT_MODEL: "scripted",
  };
  const generation = createHostedGeneration({
    database: own,
    settings: loadSettings({ dataDir: tempDir(), env }),
    server: loadServerSettings(env),
    env,
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    watch: port.generation,
  });
  await generation.start();
  onTestFinished(async () => {
    await generation.stop();
    await own.close();
  });
  await enqueueEvent(own, await makeTenant(own));
  const completed = 'mem_generation_batches_total{outcome="completed"}';
  await expect.poll(async () => (await scrape(url)).get(completed)).toBe(1);
  const samples = await scrape(url);
  expect(samples.get('mem_provider_calls_total{provider="compat",outcome="ok"}')).toBe(1);
  expect(samples.get('mem_provider_tokens_total{provider="compat",direction="input"}')).toBeGreaterThan(0);
  port.generation.worked("failed");
  expect((await scrape(url)).get('mem_generation_batches_total{outcome="failed"}')).toBe(1);
});

test("the port answers /metrics and nothing else", async () => {
  const { url } = await openMetrics();
  expect((await fetch(new URL("/v1/projects", url))).status).toBe(404);
  const posted = await fetch(url, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
});

/** The built server as an operator runs it; `lines` is what it said until it answered. */
async function run(env: Record<string, string>): Promise<{ child: ChildProcess; said: string }> {
  const home = tempDir();
  const child = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: { PATH: process.env.PATH, HOME: home, MEM_DATABASE_URL: database.url, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let said = "";
  for await (const part of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes("keys:")) break;
  }
  child.stdout.resume();
  return { child, said };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test("serves metrics on the configured port until the server ends", async () => {
  const port = await freePort();
  const { child, said } = await run({ MEM_METRICS_PORT: String(port), MEM_PROVIDER: "local" });
  const url = `http://127.0.0.1:${port}/metrics`;
  expect(said).toContain(`metrics: ${url}`);
  const address = /answers at (http:\S+)/.exec(said)?.[1];
  expect((await fetch(`${address}/health`)).status).toBe(200);
  expect((await fetch(`${address}/metrics`)).status).toBe(404);
  const samples = await scrape(url);
  expect(
    samples.get('mem_http_request_duration_seconds_count{method="GET",route="/health",status="200"}'),
  ).toBe(1);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("a metrics port that is taken ends the start with a code", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const child = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: {
      ...{ PATH: process.env.PATH, HOME: tempDir(), MEM_PROVIDER: "local", MEM_DATABASE_URL: database.url },
      MEM_METRICS_PORT: String((taken.address() as AddressInfo).port),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(code).not.toBe(0);
  expect(said).toContain("Set MEM_METRICS_PORT to a free port");
}, 60_000);

// What a process listens on stands where Linux shows it only.
test.runIf(process.platform === "linux")(
  "without the setting the server listens on its own port alone",
  async () => {
    const { child } = await run({ MEM_PROVIDER: "local" });
    expect(listeners(Number(child.pid))).toBe(1);
  },
  60_000,
);

function listeners(pid: number): number {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8").trim().split("\n").slice(1),
  );
  // The fourth column is the state, 0A a socket that listens; the tenth its inode.
  return rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[3] === "0A" && own.has(row[9] ?? ""))
    .length;
}
