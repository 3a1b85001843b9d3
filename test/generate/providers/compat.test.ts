import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { type CompatOptions, createCompatClient, readChat } from "../../../src/generate/providers/compat.ts";
import { json } from "../../client/fake-worker.ts";
import { contractKey, contractRequest, describeModelClient } from "../../contracts/model-client.ts";
import { modelServer } from "./model-server.ts";

describeModelClient({
  name: "compat",
  wire: "chat",
  create: ({ url, key, timeoutMs, now }) =>
    createCompatClient({
      model: "vendor/some-model:free",
      baseUrl: url,
      apiKey: () => key,
      siteUrl: "",
      appName: "",
      timeoutMs,
      clock: { now, monotonicMs: now },
    }),
});

const clock = { now: () => 1, monotonicMs: () => 1 };
const signal = new AbortController().signal;

function compatAt(baseUrl: string, options: Partial<CompatOptions> = {}) {
  return createCompatClient({
    model: "m",
    baseUrl,
    apiKey: () => "",
    siteUrl: "",
    appName: "",
    timeoutMs: 5_000,
    clock,
    ...options,
  });
}

describe("what compat sends", () => {
  async function sent(options: Partial<CompatOptions> = {}, path = "") {
    const server = await modelServer();
    const client = compatAt(server.url + path, { model: "qwen3:8b", ...options });
    await client.complete(contractRequest, signal);
    await client.close();
    return server.requests[0];
  }

  test("a server on this machine is asked by its address alone", async () => {
    const request = await sent();
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.headers).not.toHaveProperty("authorization");
    expect(request?.headers).not.toHaveProperty("http-referer");
    expect(request?.headers).not.toHaveProperty("x-title");
    expect(request?.body).toMatchObject({
      model: "qwen3:8b",
      stream: false,
      max_tokens: 512,
      response_format: { type: "json_schema", json_schema: { strict: true } },
    });
  });

  test("key, site and application where they are set, without what no header carries", async () => {
    const request = await sent({
      apiKey: () => ` ${contractKey}\n`,
      siteUrl: "https://example.test/",
      appName: "mem\r\nx: 1 é",
    });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${contractKey}`,
      "http-referer": "https://example.test/",
      "x-title": "mem x: 1",
    });
    expect(request?.headers).not.toHaveProperty("x");
  });

  test.each([
    ["", "/v1/chat/completions"],
    ["/", "/v1/chat/completions"],
    ["/v1", "/v1/chat/completions"],
    ["/v1/", "/v1/chat/completions"],
    ["/api/v1", "/api/v1/chat/completions"],
    ["/openai", "/openai/v1/chat/completions"],
    ["/v1beta/openai", "/v1beta/openai/chat/completions"],
    ["/api/paas/v4/", "/api/paas/v4/chat/completions"],
    ["/other/chat/completions", "/other/chat/completions"],
    ["/deployments/a/chat/completions?api-version=1", "/deployments/a/chat/completions?api-version=1"],
  ])("the address with the path «%s» is asked at %s", async (base, path) => {
    expect((await sent({}, base))?.path).toBe(path);
  });

  test("the public default is asked with a key only", async () => {
    const client = compatAt("");
    await expect(client.complete(contractRequest, signal)).rejects.toMatchObject({
      kind: "auth",
      message: "No key is set: MEM_COMPAT_API_KEY.",
    });
  });
});

describe("a model that thinks before it answers", () => {
  const message = (part: object, reason = "stop") => [
    { choices: [{ message: { role: "assistant", ...part }, finish_reason: reason }] },
  ];

  test.each<[string, object, string, boolean]>([
    ["in tags", { content: "<think>{ hm }</think>\n{}" }, "\n{}", true],
    ["without the opening tag", { content: "so</think>{}" }, "{}", true],
    ["and gets no further", { content: "<think> so" }, "", true],
    ["in a field of its own", { content: "{}", reasoning_content: "so" }, "{}", true],
    ["not, and speaks of the tag", { content: '{"title":"</think>"}' }, '{"title":"</think>"}', false],
  ])("%s", (_what, part, text, thought) => {
    expect(readChat(message(part))).toMatchObject({ text, thought, stopped: "end" });
  });

  test("gets room to think once thinking used up the limit; both answers count", async () => {
    const limits: unknown[] = [];
    const server = await modelServer({
      answer: () => "<think>so</think>{}",
      script: ({ index }) => (index === 0 ? "cut-at-max-tokens" : "ok"),
    });
    const client = compatAt(server.url);
    const first = await client.complete(contractRequest, signal);
    const second = await client.complete(contractRequest, signal);
    await client.close();
    for (const { body } of server.requests) limits.push((body as { max_tokens: number }).max_tokens);
    expect(limits).toEqual([512, 8_704, 8_704]);
    expect([first, second]).toMatchObject([
      { text: "{}", stopped: "end" },
      { text: "{}", stopped: "end" },
    ]);
    expect(first.usage.inputTokens).toBe(2 * second.usage.inputTokens);
  });
});

test("a model that knows the limit by its newer name is asked by that name", async () => {
  const server = await modelServer({ script: ["bad-request"] });
  const client = compatAt(server.url);
  server.play(({ index }) => (index === 0 ? "old-limit" : "ok"));
  await client.complete(contractRequest, signal);
  await client.close();
  expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 512, response_format: {} });
  expect(server.requests[1]?.body).not.toHaveProperty("max_tokens");
});

test.each([
  [{ error: { code: 429, message: "Rate limited upstream" } }, "rate_limited"],
  [{ choices: [{ error: { code: 502, message: "Provider broke" }, finish_reason: "error" }] }, "unavailable"],
])("an error in the body of a 200 is that error: %j", async (body, kind) => {
  const server = createServer((_request, response) => json(response, 200, body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = compatAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(client.complete(contractRequest, signal)).rejects.toMatchObject({ kind });
  await client.close();
  server.close();
});

test.each([
  ["http://127.0.0.1:11434", true],
  ["http://127.1.2.3:8080/v1", true],
  ["http://localhost:1234/v1", true],
  ["http://[::1]:8080", true],
  ["http://192.168.1.5:11434", false],
  ["https://localhost.example.test/v1", false],
  ["", false],
  ["no address", false],
])("at %j it is on this machine: %s", (baseUrl, isOwn) => {
  expect(compatAt(baseUrl, {}).isOwn).toBe(isOwn);
});
