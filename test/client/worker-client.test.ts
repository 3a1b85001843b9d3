import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { MemError } from "../../src/core/errors.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fakeWorker, json } from "./fake-worker.ts";

test.each(["socket", "port"] as const)("a search over the %s arrives with every parameter", async (on) => {
  const worker = await fakeWorker({ on });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.search({
    query: "why & how?",
    type: "observations",
    format: "full",
    limit: 5,
    concepts: ["gotcha", "pattern"],
    files: ["src/a b.ts"],
    dateStart: "2026-01-31T00:00:00.000Z",
  });
  await client.close();
  const target = new URL(worker.seen.at(-1)?.split(" ")[1] ?? "", "http://localhost");
  expect(target.pathname).toBe("/api/search");
  expect(Object.fromEntries(target.searchParams)).toEqual({
    query: "why & how?",
    type: "observations",
    format: "full",
    limit: "5",
    concepts: "gotcha,pattern",
    files: "src/a b.ts",
    dateStart: "2026-01-31T00:00:00.000Z",
  });
});

test("a question that is too long for an address is sent as a body", async () => {
  const worker = await fakeWorker({ on: "socket" });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  const asked = { query: "word ".repeat(60_000), concepts: ["gotcha"] };
  await client.search(asked);
  expect(JSON.parse(worker.bodies.at(-1) ?? "")).toEqual(asked);
  const around = { query: asked.query, depth_after: 1 };
  // The stand-in answers everything with an object, a timeline is a list.
  await client.timeline(around).catch(() => undefined);
  await client.close();
  expect(worker.seen).toEqual(["POST /api/search", "POST /api/timeline"]);
  expect(JSON.parse(worker.bodies.at(-1) ?? "")).toEqual(around);
});

test("an abort within an answer is no lost worker: nothing is started or asked again", async () => {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const worker = await fakeWorker({
    on: "socket",
    answer: ({ url }, response) => {
      if (url !== "/api/stats") return json(response, 200, {});
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{", () => setTimeout(begin, 50));
    },
  });
  const start = vi.fn(async () => true);
  const client = createWorkerClient({ dataDir: worker.dataDir, start });
  const stop = new AbortController();
  const asked = client.under(stop.signal).stats();
  const next = client.health();
  await begun;
  stop.abort();
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  expect(await next).toEqual({});
  await client.close();
  expect(start).not.toHaveBeenCalled();
  expect(worker.seen).toEqual(["GET /api/stats", "GET /api/health"]);
});

test("a socket outside the data directory proves itself first", async () => {
  const worker = await fakeWorker({ on: "socket elsewhere" });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.stats();
  await client.close();
  expect(worker.seen).toEqual(["GET /api/health", "GET /api/stats"]);
});

test("over the socket no proof is asked for", async () => {
  const worker = await fakeWorker({ on: "socket" });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.stats();
  await client.close();
  expect(worker.seen).toEqual(["GET /api/stats"]);
});

test.each(["port", "socket elsewhere"] as const)("a stranger on the %s receives only a nonce", async (on) => {
  const stranger = await fakeWorker({ on, secret: "guessed" });
  const client = createWorkerClient({ dataDir: stranger.dataDir });
  const error = await failure(client.search({ query: "canary" }));
  expect(error.code).toBe("worker_unreachable");
  expect(error.message).toContain("Another program answers");
  expect(stranger.seen).toEqual(["GET /api/health"]);
  expect(stranger.bodies.join()).toBe("");
});

describe("where other users could answer in the worker's place", () => {
  const isRoot = process.getuid?.() === 0;
  const other = 65_534;
  type Change = (dataDir: string) => void;
  const inside =
    (name: string, change: (path: string) => void): Change =>
    (dir) =>
      change(join(dir, name));
  const shapes: [string, boolean, Change][] = [
    ["a directory that everybody can write to", false, (dir) => chmodSync(dir, 0o777)],
    ["a directory that its group can write to", false, (dir) => chmodSync(dir, 0o770)],
    ["a sticky directory that everybody can write to", false, (dir) => chmodSync(dir, 0o1777)],
    ["another user's directory", true, (dir) => chownSync(dir, other, other)],
    ["another user's worker.json", true, inside("worker.json", (path) => chownSync(path, other, other))],
    [
      "a worker.json that everybody can write to",
      false,
      inside("worker.json", (path) => chmodSync(path, 0o666)),
    ],
  ];
  const sockets: [string, boolean, Change][] = [
    ["another user's socket", true, inside("worker.sock", (path) => chownSync(path, other, other))],
    ["a socket that everybody can write to", false, inside("worker.sock", (path) => chmodSync(path, 0o777))],
  ];
  const cases = [
    ...shapes.flatMap((shape) => (["socket", "port"] as const).map((on) => [...shape, on] as const)),
    ...sockets.map((shape) => [...shape, "socket"] as const),
  ].filter(([, needsRoot]) => isRoot || !needsRoot);

  test.each(cases)(
    "%s is refused with the next step (root: %s, a worker on a %4$s)",
    async (_what, _root, change, on) => {
      const stranger = await fakeWorker({ on });
      change(stranger.dataDir);
      const client = createWorkerClient({ dataDir: stranger.dataDir });
      const error = await failure(client.search({ query: "canary" }));
      await client.close();
      expect(error).toMatchObject({ code: "data_dir_unusable", exitCode: 78 });
      expect(error.message).toMatch(/another user|Other users/);
      expect(error.hint).toMatch(/chmod|MEM_DATA_DIR/);
      expect(stranger.seen).toEqual([]);
    },
  );

  test("an own directory behind a link, or open to pass through, is used", async () => {
    const worker = await fakeWorker({ on: "port" });
    chmodSync(worker.dataDir, 0o711);
    const link = join(tempDir(), "link");
    symlinkSync(worker.dataDir, link);
    const client = createWorkerClient({ dataDir: link });
    await client.stats();
    await client.close();
    expect(worker.seen).toContain("GET /api/stats");
  });
});

test("a socket is reached whose path is longer than an address holds", async () => {
  const dataDir = join(tempDir(), "d".repeat(120));
  mkdirSync(dataDir, { mode: 0o700 });
  const before = process.cwd();
  const server = createServer((_request, response) => json(response, 200, {}));
  process.chdir(dataDir);
  server.listen("worker.sock");
  process.chdir(before);
  onTestFinished(() => {
    server.closeAllConnections();
  });
  const file = { pid: process.pid, port: 1, socket: join(dataDir, "worker.sock"), secret: "s" };
  writeFileSync(dataPaths(dataDir).workerFile, JSON.stringify(file), { mode: 0o600 });
  const client = createWorkerClient({ dataDir });
  expect(await client.stats()).toEqual({});
  await client.close();
  expect(process.cwd()).toBe(before);
});

test.each([
  ["a write is sent once", "POST /api/rules", 1],
  ["a read is sent again", "GET /api/stats", 2],
] as const)("when the worker does not answer in time, %s", async (_what, request, times) => {
  const worker = await fakeWorker({ on: "socket", answer: () => undefined });
  const start = async () => true;
  const client = createWorkerClient({ dataDir: worker.dataDir, deadlines: { answerMs: 50 }, start });
  const sent = request.startsWith("GET") ? client.stats() : client.remember({ text: "Use pnpm." });
  expect((await failure(sent)).code).toBe("worker_unreachable");
  await client.close();
  expect(worker.seen.filter((line) => line === request)).toHaveLength(times);
});

test("without worker.json the worker is unreachable, and the next command is named", async () => {
  const error = await failure(createWorkerClient({ dataDir: tempDir() }).health());
  expect(error.code).toBe("worker_unreachable");
  expect(error.hint).toContain("mem worker start");
});

test.each(["", "{", "[]", '{"pid":"1","port":2}', '{"pid":1,"port":-2}'])(
  "worker.json with %j counts as none",
  async (text) => {
    const dataDir = tempDir();
    writeFileSync(dataPaths(dataDir).workerFile, text);
    expect((await failure(createWorkerClient({ dataDir }).health())).code).toBe("worker_unreachable");
  },
);

test("the worker's own error arrives with code, sentence, hint and details", async () => {
  const body = { error: { code: "invalid_request", message: "limit is odd", hint: "try 2", details: [1] } };
  const worker = await fakeWorker({ on: "socket", answer: (_, response) => json(response, 400, body) });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  const error = await failure(client.search({ limit: 3 }));
  await client.close();
  expect(error.toBody()).toEqual(body);
});

test.each([
  [500, "not json at all"],
  [502, JSON.stringify({ error: { code: "no_such_code", message: "x" } })],
  [404, JSON.stringify({ message: "x" })],
])("status %i without an error body is an internal error that names the status", async (status, text) => {
  const worker = await fakeWorker({
    on: "socket",
    answer: (_, response) => response.writeHead(status, { "content-type": "application/json" }).end(text),
  });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  const error = await failure(client.stats());
  await client.close();
  expect(error.code).toBe("internal");
});

test("a call to a hanging worker times out", async () => {
  const worker = await fakeWorker({ on: "socket", answer: () => undefined });
  const client = createWorkerClient({ dataDir: worker.dataDir, deadlines: { answerMs: 100 } });
  const error = await failure(client.stats());
  expect(error.message).toContain("does not answer in time");
});

test("a worker that came later, elsewhere, is found by the same client", async () => {
  const dataDir = tempDir();
  const client = createWorkerClient({ dataDir });
  await failure(client.health());
  const worker = await fakeWorker({ on: "port" });
  copyFileSync(dataPaths(worker.dataDir).workerFile, dataPaths(dataDir).workerFile);
  expect(await client.health()).toEqual({});
  await client.close();
});

test("proxy variables are not looked at", async () => {
  const proxy = await fakeWorker({ on: "port" });
  const worker = await fakeWorker({ on: "port" });
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
    vi.stubEnv(name, `http://127.0.0.1:${portOf(proxy.dataDir)}`);
  }
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.health();
  await client.close();
  vi.unstubAllEnvs();
  expect(proxy.seen).toEqual([]);
});

test("a session event is posted as JSON", async () => {
  const worker = await fakeWorker({ on: "socket" });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.postSession("complete", { claudeSessionId: "s" });
  await client.close();
  expect(worker.seen).toEqual(["POST /api/sessions/complete"]);
  expect(worker.bodies).toEqual(['{"claudeSessionId":"s"}']);
});

test("the queue is read by a filter and moved by a JSON body", async () => {
  const worker = await fakeWorker({ on: "socket" });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  await client.queue({ status: "dead", since: "2026-01-31T00:00:00.000Z", limit: 5 });
  await client.retryQueued({ failed: true });
  await client.dropQueued({ ids: [3, 4] });
  await client.close();
  expect(worker.seen).toEqual([
    "GET /api/queue?status=dead&since=2026-01-31T00%3A00%3A00.000Z&limit=5",
    "POST /api/queue/retry",
    "POST /api/queue/drop",
  ]);
  expect(worker.bodies).toEqual(["", '{"failed":true}', '{"ids":[3,4]}']);
});

async function failure(run: Promise<unknown>): Promise<MemError> {
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  if (error instanceof MemError) return error;
  throw new Error("no MemError was thrown");
}

function portOf(dataDir: string): number {
  const file: unknown = JSON.parse(readFileSync(dataPaths(dataDir).workerFile, "utf8"));
  if (typeof file === "object" && file !== null && "port" in file) return Number(file.port);
  throw new Error("no port");
}
