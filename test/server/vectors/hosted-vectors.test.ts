import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { vectorsInWords } from "../../../src/core/records/vector-status.ts";
import { serverEmbedderSettings } from "../../../src/generate/model/embedders.ts";
import { buildServer } from "../../../src/server/build.ts";
import { createServerMetrics } from "../../../src/server/metrics.ts";
import {
  hostedVectorStatus,
  openHostedVectors,
  prepareHostedVectors,
} from "../../../src/server/vectors/hosted-vectors.ts";
import type { Environment } from "../../../src/settings/environment.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import { type EmbeddingServer, embeddingServer } from "../../helpers/embedding-server.ts";
import { eventually } from "../../helpers/eventually.ts";
import { addTestKey, type TestKey } from "../../helpers/hosted-server.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { openVectorDatabase } from "../../helpers/vector-database.ts";

const database = await openVectorDatabase();
const plain = await openTestDatabase();

// What a word is about is the place of its vector: a model that knows that a car is a vehicle.
const topics = [
  ["car", "vehicle", "automobile", "engine"],
  ["soup", "dinner", "kitchen"],
  ["invoice", "billing"],
];

function topicVector(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return [...topics.map((topic) => words.filter((word) => topic.includes(word)).length), 0.01];
}

function answerTopics(server: EmbeddingServer): void {
  server.reply = ({ body }) => ({
    body: JSON.stringify({
      data: body.input.map((text, index) => ({ index, embedding: topicVector(text) })),
    }),
  });
}

function settingsOf(env: Environment) {
  return serverEmbedderSettings(loadServerSettings(env));
}

async function open(env: Environment, over: typeof plain | typeof database = database) {
  const metrics = createServerMetrics({
    ...{ version: "1", role: "all" },
    jobs: async () => undefined,
    pools: () => [],
  });
  const vectors = await openHostedVectors({
    database: over,
    settings: settingsOf(env),
    dataDir: tempDir(),
    clock: systemClock,
    log: createStderrLog("SILENT").log,
    metrics,
  });
  const { app, close } = buildServer({
    database: over,
    role: "all",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    vectors,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  onTestFinished(async () => {
    await close();
    await vectors.embedding?.stop();
    await vectors.close();
  });
  async function ask(key: TestKey | null, url: string, body?: object) {
    const authorization = key === null ? {} : { authorization: `Bearer ${key.apiKey}` };
    const headers = { host: "x", ...authorization };
    const asked =
      body === undefined ? { method: "GET" as const } : { method: "POST" as const, payload: body };
    const answer = await app.inject({ url, headers, ...asked });
    return { status: answer.statusCode, body: answer.json() };
  }
  return { vectors, metrics, app, ask };
}

function httpEmbedder(server: EmbeddingServer, model = "topics"): Environment {
  return { MEM_EMBEDDER: "http", MEM_EMBEDDING_BASE_URL: server.url, MEM_EMBEDDING_MODEL: model };
}

const titles = (answer: { body: { observations: { title: string }[] } }) =>
  answer.body.observations.map(({ title }) => title);

async function remember({ ask }: Awaited<ReturnType<typeof open>>, key: TestKey, ...all: string[]) {
  for (const title of all)
    expect((await ask(key, "/v1/memories", { title, content: title })).status).toBe(201);
}

const status = (env: Environment) => hostedVectorStatus(database, settingsOf(env));

test("finds a record by meaning, in its own project only", async () => {
  const embedder = await embeddingServer();
  answerTopics(embedder);
  const env = httpEmbedder(embedder);
  const server = await open(env);
  const ours = await addTestKey(database, { team: "ours", project: "app" });
  const beside = await addTestKey(database, { team: "ours", project: "other" });
  const theirs = await addTestKey(database, { team: "theirs", project: "app" });
  await remember(server, ours, "The automobile needs oil", "Soup for everybody");
  const question = { query: "vehicle troubles" };
  expect(titles(await server.ask(ours, "/v1/search", question))).toEqual([]);
  server.vectors.embedding?.start();
  await eventually(async () =>
    expect(titles(await server.ask(ours, "/v1/search", question))).toHaveLength(2),
  );
  const found = await server.ask(ours, "/v1/search", question);
  expect(titles(found)[0]).toBe("The automobile needs oil");
  expect(found.body).not.toHaveProperty("notes");
  for (const key of [beside, theirs])
    expect(titles(await server.ask(key, "/v1/search", question))).toEqual([]);
  const context = await server.ask(ours, "/v1/context", question);
  expect(context.body.context).toContain("automobile");
  const narrowed = { ...question, obsType: "nothing of the kind" };
  expect(titles(await server.ask(ours, "/v1/search", narrowed))).toEqual([]);
  const older = await server.ask(ours, "/api/search?query=vehicle%20troubles&type=observations");
  expect(older.body.observations[0]).toMatchObject({ matched_by: ["vectors"] });
  expect(older.body.notes).toEqual([]);
  // What is purged is gone with its vectors, and what comes afterwards gets its own.
  await server.app.inject({
    method: "DELETE",
    url: `/v1/projects/${ours.project_id}/memory`,
    headers: { host: "x", authorization: `Bearer ${ours.apiKey}` },
  });
  expect(titles(await server.ask(ours, "/v1/search", question))).toEqual([]);
  const left = { text: "select 1 from observation_vectors where project_id = $1", values: [ours.project_id] };
  expect((await database.system.query(left)).rowCount).toBe(0);
  await remember(server, ours, "A new car");
  await eventually(async () =>
    expect(titles(await server.ask(ours, "/v1/search", question))).toEqual(["A new car"]),
  );
  await eventually(async () =>
    expect(vectorsInWords(await status(env))).toBe("http (topics), 1 observations"),
  );
  const text = await server.metrics.text();
  expect(text).toContain('mem_vectors_embedded_total{outcome="made"} 3');
  expect(text).toContain("mem_embedder_failing_records 0");
  expect((await server.ask(null, "/ready")).body).toEqual({ status: "ready", vectors: "on" });
});

test("a failing embedder is paused and reported; searches use words", async () => {
  const embedder = await embeddingServer();
  embedder.reply = () => ({ status: 503, body: '{"error":"the secret text of somebody"}' });
  const env = httpEmbedder(embedder, "failing");
  const server = await open(env);
  const key = await addTestKey(database, { team: "failing", project: "app" });
  await remember(server, key, "The automobile needs oil");
  server.vectors.embedding?.start();
  await eventually(async () => expect((await status(env)).state).toBe("failing"));
  const said = vectorsInWords(await status(env));
  expect(said).toContain("answered 503");
  expect(said).not.toContain("secret");
  expect(await server.metrics.text()).toContain("mem_embedder_failing_records 1");
  const asked = embedder.requests.length;
  const found = await server.ask(key, "/v1/search", { query: "automobile" });
  expect(titles(found)).toEqual(["The automobile needs oil"]);
  const notes = ["Searched by words only: search by meaning is not available now."];
  expect(found.body.notes).toEqual(notes);
  expect((await server.ask(key, "/api/search?query=automobile")).body.notes).toEqual(notes);
  expect((await server.ask(key, "/v1/recall")).body).not.toHaveProperty("notes");
  expect(await server.metrics.text()).toContain("mem_embedder_failing_questions 1");
  // The question, once; the record again at most once meanwhile.
  expect(embedder.requests.length).toBeLessThanOrEqual(asked + 2);
  answerTopics(embedder);
  await eventually(async () => expect((await status(env)).state).toBe("ready"));
});

test("another model embeds everything again; unused vectors are deleted", async () => {
  const embedder = await embeddingServer();
  answerTopics(embedder);
  const first = await open(httpEmbedder(embedder, "first"));
  const key = await addTestKey(database, { team: "models", project: "app" });
  await remember(first, key, "The automobile needs oil");
  first.vectors.embedding?.start();
  const question = { query: "vehicle troubles" };
  await eventually(async () => expect(titles(await first.ask(key, "/v1/search", question))).toHaveLength(1));
  await first.vectors.embedding?.stop();
  await database.owner.query(
    "update mem.embedder_states set used_at = used_at - interval '25 hours' where model = 'first'",
  );
  const second = await open(httpEmbedder(embedder, "second"));
  expect(titles(await second.ask(key, "/v1/search", question))).toEqual([]);
  second.vectors.embedding?.start();
  await eventually(async () => expect(titles(await second.ask(key, "/v1/search", question))).toHaveLength(1));
  await eventually(async () => {
    const text = "select distinct model from observation_vectors where project_id = $1";
    expect((await database.system.query({ text, values: [key.project_id] })).rows).toEqual([
      { model: "second" },
    ]);
  });
});

test("a refused text does not block others; refusing all is a failure", async () => {
  const embedder = await embeddingServer();
  let refuses = /poison/;
  embedder.reply = ({ body }) =>
    body.input.some((text) => refuses.test(text))
      ? { status: 422, body: "{}" }
      : {
          body: JSON.stringify({
            data: body.input.map((text, index) => ({ index, embedding: topicVector(text) })),
          }),
        };
  const env = httpEmbedder(embedder, "refusing");
  const server = await open(env);
  const key = await addTestKey(database, { team: "refusing", project: "app" });
  await remember(server, key, "a car", "poison", "an automobile");
  server.vectors.embedding?.start();
  await eventually(async () => expect((await status(env)).state).toBe("ready"));
  await eventually(async () => {
    const found = titles(await server.ask(key, "/v1/search", { query: "vehicle" }));
    expect(found.sort()).toEqual(["a car", "an automobile"]);
  });
  refuses = /./;
  await remember(server, key, "one car", "two cars");
  await eventually(() => expect(server.vectors.embedding?.failure()).toMatch(/answered 422/));
});

test("reports why vectors are off without pgvector or an embedder", async () => {
  const embedder = await embeddingServer();
  const reason = "off: the database has no pgvector";
  const without = await open(httpEmbedder(embedder), plain);
  expect(without.vectors).toMatchObject({ inWords: reason, embedding: null });
  expect((await without.ask(null, "/ready")).body).toEqual({ status: "ready", vectors: reason });
  expect(await prepareHostedVectors(plain.owner, settingsOf(httpEmbedder(embedder)))).toBe(reason);
  expect(vectorsInWords(await hostedVectorStatus(plain, settingsOf(httpEmbedder(embedder))))).toBe(reason);
  const key = await addTestKey(plain, { team: "plain", project: "app" });
  await remember(without, key, "The automobile needs oil");
  expect(titles(await without.ask(key, "/v1/search", { query: "automobile" }))).toHaveLength(1);
  expect(await without.metrics.text()).not.toContain("vector");
  expect(embedder.requests).toEqual([]);
  expect((await open({})).vectors.inWords).toContain("MEM_EMBEDDER=onnx or http does");
  expect((await open({ MEM_EMBEDDER: "off" })).vectors.inWords).toBe("off: MEM_EMBEDDER is off");
  expect(() => loadServerSettings({ MEM_EMBEDDER: "htpp" })).toThrow("MEM_EMBEDDER is not one of");
});

test("searches by words after the extension is dropped", async () => {
  const embedder = await embeddingServer();
  answerTopics(embedder);
  const server = await open(httpEmbedder(embedder, "taken"));
  const key = await addTestKey(database, { team: "taken", project: "app" });
  await remember(server, key, "The automobile needs oil");
  await database.owner.query("drop extension vector cascade");
  const found = await server.ask(key, "/v1/search", { query: "automobile" });
  expect(found.status).toBe(200);
  expect(titles(found)).toEqual(["The automobile needs oil"]);
  expect(found.body.notes).toHaveLength(1);
});
