import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type VectorStatus, vectorsInWords } from "../../src/core/records/vector-status.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { createVectorSearch, type VectorSearch } from "../../src/worker/vectors.ts";
import { type EmbeddingServer, embeddingServer } from "../helpers/embedding-server.ts";
import { eventually } from "../helpers/eventually.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { installStandIn } from "../helpers/model-library.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { writeTinyModel } from "../helpers/tiny-model.ts";
import { startWorker, type WorkerProcess, workerHome } from "../helpers/worker-process.ts";

const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

/** A memory in a private data directory, and search by meaning with the settings that a test names. */
function openMemory() {
  const dataDir = tempDir();
  const memory = createMemoryStore(join(dataDir, "mem.db"));
  onTestFinished(() => memory.close());
  const open = (env: Record<string, string>): VectorSearch => {
    const settings = loadSettings({ dataDir, env: { HOME: dataDir, ...env }, readOnly: true });
    const search = createVectorSearch({
      ...memory,
      settings,
      clock,
      quiet: async () => undefined,
      warn: () => undefined,
    });
    onTestFinished(() => search.close());
    search.start();
    return search;
  };
  return { ...memory, dataDir, open };
}

function http({ url }: EmbeddingServer, model = "m"): Record<string, string> {
  return { MEM_EMBEDDER: "http", MEM_EMBEDDING_BASE_URL: url, MEM_EMBEDDING_MODEL: model };
}

const until = (check: () => void | Promise<void>) => eventually(check);

const ready = (search: VectorSearch) =>
  until(() => expect(search.status()).toMatchObject({ state: "ready" }));

const ask = (search: VectorSearch, text: string) => search.nearest({ text, project: "app", limit: 2 });

describe("with an embedder", () => {
  test("observations are found by their vectors", async () => {
    const { addObservation, open } = openMemory();
    const cache = addObservation({ title: "the cache forgets", narrative: null, summary: "cache" });
    addObservation({ title: "a blue button", narrative: null, summary: "button" });
    const server = await embeddingServer();
    const search = open(http(server));
    await until(() => expect(search.status().done).toBe(2));
    const answer = await ask(search, "cache");
    expect(answer).toMatchObject({ state: "ok", hits: [{ id: cache.id }, {}] });
    await ready(search);
    const done = { dimension: 64, done: 2, total: 2, refused: null, reason: null };
    expect(search.status()).toMatchObject({ state: "ready", ...done });
  });

  test("a question that is asked again is embedded once", async () => {
    const { addObservation, open } = openMemory();
    addObservation({ title: "one" });
    const server = await embeddingServer();
    const search = open(http(server));
    await until(() => expect(search.status().done).toBe(1));
    for (const text of ["one", "one", "two", "one"]) await ask(search, text);
    expect(
      server.requests.filter(({ body }) => body.input.length === 1 && body.input[0] === "one"),
    ).toHaveLength(1);
  });
});

describe("without vectors", () => {
  test.each([
    [{ MEM_VECTOR_INDEX: "off" }, "MEM_VECTOR_INDEX is off"],
    [{ MEM_EMBEDDER: "off" }, "MEM_EMBEDDER is off"],
    [{}, "MEM_EMBEDDER is builtin"],
  ])("with %j nothing is embedded, and it is said why", async (env, reason) => {
    const { addObservation, open, db } = openMemory();
    addObservation({ title: "one" });
    const search = open(env);
    search.notify([1]);
    expect(await ask(search, "one")).toEqual({ state: "off" });
    expect(search.status()).toMatchObject({ state: "off", reason: expect.stringContaining(reason) });
    expect(db.prepare("select count(*) from vector_sets").pluck().get()).toBe(0);
  });

  test("a server that is down is the reason, and is not asked again for every search", async () => {
    const { addObservation, open } = openMemory();
    addObservation({ title: "one" });
    const server = await embeddingServer();
    const search = open(http(server));
    await ready(search);
    await server.close();
    const answer = await ask(search, "something new");
    expect(answer).toEqual({ state: "unavailable", reason: expect.stringContaining("cannot be reached") });
    const status = search.status();
    expect(status).toMatchObject({ state: "failing", done: 1, total: 1 });
    expect(vectorsInWords(status)).toContain("cannot be reached");
    const asked = server.requests.length;
    expect(await ask(search, "another thing")).toEqual(answer);
    expect(server.requests).toHaveLength(asked);
    expect(await ask(search, "something new")).toEqual(answer);
  });

  test("reports a refused key with the setting to change, in status and in the answer", async () => {
    const { addObservation, open } = openMemory();
    addObservation({ title: "one" });
    const server = await embeddingServer();
    server.reply = () => ({ status: 401, body: '{"error":"no"}' });
    const search = open(http(server));
    await until(() => expect(search.status().state).toBe("failing"));
    expect(search.status()).toMatchObject({
      reason: expect.stringContaining("answered 401"),
      next: expect.stringContaining("MEM_EMBEDDING_API_KEY"),
    });
    expect(await ask(search, "one")).toMatchObject({ state: "unavailable" });
  });
});

test("old vectors serve the old model's questions while another model takes over", async () => {
  const { addObservation, open } = openMemory();
  for (let at = 0; at < 50; at++) addObservation({ title: `record ${at}` });
  const cache = addObservation({ title: "the cache forgets" });
  const old = await embeddingServer(32);
  const first = open(http(old, "old"));
  await ready(first);
  await first.close();
  const server = await embeddingServer(64);
  let blocked = true;
  server.dimensionOf = (model) => (model === "old" ? 32 : 64);
  server.reply = ({ body }) => {
    const isThird = ![4, 32].includes(body.input.length);
    return blocked && body.model === "new" && isThird ? { status: 503 } : undefined;
  };
  const search = open(http(server, "new"));
  await until(() => expect(search.status()).toMatchObject({ state: "failing", done: 36, total: 51 }));
  expect(await ask(search, "the cache forgets")).toMatchObject({ state: "ok", hits: [{ id: cache.id }, {}] });
  // Between two questions the background tries again to embed what is left.
  const lastQuestion = () => server.requests.findLast(({ body }) => body.input.length === 1);
  expect(lastQuestion()?.body.model).toBe("old");
  blocked = false;
  await ready(search);
  // The new vectors serve from the turn on that follows the last of them.
  await until(async () => {
    expect(await ask(search, "the cache forgets")).toMatchObject({
      state: "ok",
      hits: [{ id: cache.id }, {}],
    });
    expect(lastQuestion()?.body.model).toBe("new");
  });
});

test("asks no embedding server that was unset, and names the model of the vectors", async () => {
  const { addObservation, open } = openMemory();
  addObservation({ title: "the cache forgets" });
  const server = await embeddingServer();
  const first = open(http(server));
  await ready(first);
  await first.close();
  const asked = server.requests.length;
  const missing = join(tempDir(), "missing");
  const search = open({ ...http(server, missing), MEM_EMBEDDER: "onnx" });
  await until(() => expect(search.status().state).toBe("failing"));
  for (const text of ["a secret plan", "another"])
    expect(await ask(search, text)).toEqual({
      state: "unavailable",
      reason: `the vectors are from http (m), which is no longer configured; 0 of 1 re-embedded with onnx (${missing})`,
    });
  expect(server.requests).toHaveLength(asked);
  expect(search.status().earlier).toEqual({ embedder: "http", model: "m", asked: false });
  expect(vectorsInWords(search.status())).toContain(
    "the vectors are from http (m), which is no longer configured",
  );
});

test("a question for older vectors goes to the server that is set now", async () => {
  const { addObservation, open } = openMemory();
  addObservation({ title: "the cache forgets" });
  const old = await embeddingServer();
  const first = open(http(old, "old"));
  await ready(first);
  await first.close();
  const asked = old.requests.length;
  const server = await embeddingServer();
  server.reply = ({ body }) => (body.model === "new" ? { status: 503 } : undefined);
  const search = open(http(server, "new"));
  await until(() => expect(search.status().state).toBe("failing"));
  expect(await ask(search, "cache")).toMatchObject({ state: "ok" });
  expect(old.requests).toHaveLength(asked);
  expect(search.status().earlier).toEqual({ embedder: "http", model: "old", asked: true });
});

describe("the worker", () => {
  const record = (worker: WorkerProcess, title: string) =>
    worker.post("/observations", { claudeSessionId: "s", obs_type: "discovery", title, project: "app" });
  const vectorsOf = async (worker: WorkerProcess) =>
    ((await worker.get("/api/health")).body as { vectors: VectorStatus }).vectors;

  test("embeds records, finds them by vector, and keeps no vectors by default", async () => {
    const server = await embeddingServer();
    const worker = await startWorker(workerHome(http(server)));
    expect((await record(worker, "the cache forgets")).status).toBeLessThan(300);
    await until(async () =>
      expect(await vectorsOf(worker)).toMatchObject({ state: "ready", done: 1, total: 1 }),
    );
    const { body } = await worker.get("/api/search?query=the%20cache%20forgets&project=app");
    expect(body).toMatchObject({
      observations: [{ title: "the cache forgets", matched_by: expect.arrayContaining(["vectors"]) }],
      notes: [],
    });
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    const plain = await startWorker(workerHome());
    expect((await vectorsOf(plain)).state).toBe("off");
  });

  test("the process of a model ends with a worker that is killed", async () => {
    const home = workerHome({
      MEM_EMBEDDER: "onnx",
      MEM_EMBEDDING_MODEL: writeTinyModel(join(tempDir(), "tiny")),
    });
    installStandIn(home.dataDir);
    const worker = await startWorker(home);
    await record(worker, "cache memory");
    await until(async () => expect(await vectorsOf(worker)).toMatchObject({ state: "ready", done: 1 }));
    const children = childrenOf(worker.pid).filter((pid) => commandOf(pid).includes("embed-process"));
    expect(children).toHaveLength(1);
    await worker.kill();
    await until(() => expect(children.filter((pid) => commandOf(pid) !== "")).toEqual([]));
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid > 0 &&
          readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(parent)
        );
      } catch {
        return false;
      }
    });
}
