import { describe, expect, test } from "vitest";
import { type CompatOptions, createCompatClient } from "../../../src/generate/providers/compat.ts";
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

describe("what compat sends", () => {
  async function sent(options: Partial<CompatOptions> = {}, path = "") {
    const server = await modelServer();
    const client = createCompatClient({
      model: "qwen3:8b",
      baseUrl: server.url + path,
      apiKey: () => "",
      siteUrl: "",
      appName: "",
      timeoutMs: 5_000,
      clock,
      ...options,
    });
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
    const client = createCompatClient({
      model: "m",
      baseUrl: "",
      apiKey: () => "",
      siteUrl: "",
      appName: "",
      timeoutMs: 5_000,
      clock,
    });
    await expect(client.complete(contractRequest, signal)).rejects.toMatchObject({
      kind: "auth",
      message: "No key is set: MEM_COMPAT_API_KEY.",
    });
  });
});
