import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttpEmbedder } from "../../../src/recall/embed/http.ts";
import { embeddingServer, wordVector } from "../../helpers/embedding-server.ts";

const clock = { now: () => 1, monotonicMs: () => 1 };
const { signal } = new AbortController();

type Options = Partial<Parameters<typeof createHttpEmbedder>[0]>;

function embedderAt(baseUrl: string, options: Options = {}) {
  const embedder = createHttpEmbedder({ model: "m", baseUrl, apiKey: () => "k-12345", clock, ...options });
  onTestFinished(() => embedder.close());
  return embedder;
}

const rounded = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => [...vector].map((value) => Math.round(value * 100) / 100));

describe("the protocols", () => {
  test.each([
    ["", "/v1/embeddings", { encoding_format: "float" }],
    ["/v1", "/v1/embeddings", { encoding_format: "float" }],
    ["/proxy/v1/embeddings", "/proxy/v1/embeddings", { encoding_format: "float" }],
    ["/api", "/api/embed", { truncate: true }],
    ["/api/embed/", "/api/embed", { truncate: true }],
  ])("the address %j is asked at %s", async (path, asked, extra) => {
    const server = await embeddingServer();
    const vectors = await embedderAt(`${server.url}${path}`).embed(["one", "two words"], "document", signal);
    expect(rounded(vectors)).toEqual([wordVector("one", 64), wordVector("two words", 64)]);
    expect(server.requests).toMatchObject([
      { path: asked, body: { model: "m", input: ["one", "two words"] } },
    ]);
    expect(server.requests[0]?.body).toMatchObject(extra);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k-12345");
  });

  test("a server without a key gets no header for one", async () => {
    const server = await embeddingServer();
    await embedderAt(server.url, { apiKey: () => "" }).embed(["one"], "document", signal);
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  test("models that tell questions from documents get them told apart", async () => {
    const server = await embeddingServer();
    const embedder = embedderAt(server.url, { model: "intfloat/multilingual-e5-small" });
    await embedder.embed(["one"], "query", signal);
    await embedder.embed(["one"], "document", signal);
    expect(server.requests.map(({ body }) => body.input)).toEqual([["query: one"], ["passage: one"]]);
  });
});

test.each([
  [64, 32],
  [1_536, 14],
  [8_192, 2],
])("limits the texts of a call for vectors of %i numbers to %i", async (dimension, most) => {
  const server = await embeddingServer(dimension);
  const embedder = embedderAt(server.url);
  expect(embedder.batch).toBe(4);
  await embedder.embed(["one", "two"], "document", signal);
  expect(embedder.batch).toBe(most);
});

describe("failures", () => {
  test("an answer that is longer than any that was asked for is not read", async () => {
    const server = await embeddingServer();
    server.reply = () => ({ body: `{"embeddings":[[${"1,".repeat(700_000)}1]]}` });
    await expect(embedderAt(server.url).embed(["one"], "document", signal)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("more than 1 MB"),
    });
  });

  test.each([
    [{ status: 401, body: '{"error":{"message":"bad key k-12345"}}' }, "setup", "bad key [redacted:key]"],
    [{ status: 404, body: '{"error":"model \\"m\\" not found"}' }, "setup", 'model "m" not found'],
    [{ status: 400, body: '{"error":{"message":"too long"}}' }, "refused", "too long"],
    [{ status: 503, body: "" }, "unavailable", "answered 503"],
    [{ status: 302, headers: { location: "http://127.0.0.1:1/x" } }, "setup", "Redirects are not followed"],
    [{ body: "<html>" }, "unavailable", "invalid JSON"],
    [{ body: '{"data":[]}' }, "unavailable", "0 vectors for 1 texts"],
    [{ status: 500, body: '{"error":"too long for the model"}' }, "refused", "too long for the model"],
    [{ body: '{"embeddings":[["1",2]]}' }, "refused", "a value that is not a number"],
    [{ body: '{"embeddings":[[]]}' }, "refused", "vectors of 0 numbers"],
  ])("%j is %s: %s", async (reply, kind, message) => {
    const server = await embeddingServer();
    server.reply = () => reply;
    await expect(embedderAt(server.url).embed(["one"], "document", signal)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message),
    });
  });

  test("an answer of too many vectors is refused before any of them is made", async () => {
    const server = await embeddingServer();
    server.reply = () => ({ body: `{"embeddings":[${Array(1_000).fill("[]").join()}]}` });
    const made = vi.spyOn(Float32Array, "from");
    onTestFinished(() => made.mockRestore());
    await expect(embedderAt(server.url).embed(["one"], "document", signal)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("1000 vectors for 1 texts"),
    });
    expect(made).not.toHaveBeenCalled();
  });

  test("a server that wants a pause says for how long", async () => {
    const server = await embeddingServer();
    server.reply = () => ({ status: 429, headers: { "retry-after": "7" } });
    await expect(embedderAt(server.url).embed(["one"], "document", signal)).rejects.toMatchObject({
      kind: "unavailable",
      retryAfterMs: 7_000,
    });
  });

  test("cancels a request to a slow server, or one whose caller has gone", async () => {
    const server = await embeddingServer();
    server.reply = () => ({ afterMs: 5_000 });
    const slow = embedderAt(server.url, { timeoutMs: 100 }).embed(["one"], "document", signal);
    await expect(slow).rejects.toMatchObject({ kind: "unavailable" });
    const ending = new AbortController();
    const left = embedderAt(server.url).embed(["one"], "document", ending.signal);
    setTimeout(() => ending.abort(), 20);
    await expect(left).rejects.toMatchObject({ code: "cancelled" });
  });

  test.each([
    ["", "m", "MEM_EMBEDDING_BASE_URL is empty"],
    ["ftp://x", "m", "not an http or https address"],
    ["http://127.0.0.1:1", "", "No embedding model is named"],
    ["http://169.254.169.254", "m", "nothing was sent"],
    ["http://1.1.1.1", "m", "use https"],
  ])("the address %j with the model %j sends nothing: %s", async (baseUrl, model, message) => {
    await expect(embedderAt(baseUrl, { model }).embed(["one"], "query", signal)).rejects.toMatchObject({
      kind: "setup",
      message: expect.stringContaining(message),
      hint: expect.stringContaining("mem settings set"),
    });
  });
});
