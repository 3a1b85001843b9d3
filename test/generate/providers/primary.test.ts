import { describe, expect, test } from "vitest";
import { createPrimaryClient } from "../../../src/generate/providers/primary.ts";
import { contractKey, contractRequest, describeModelClient } from "../../contracts/model-client.ts";
import { modelServer } from "./model-server.ts";

describeModelClient({
  name: "primary, with a key",
  wire: "messages",
  create: ({ url, key, timeoutMs, now }) =>
    createPrimaryClient({
      model: "haiku-4-5-20251001",
      baseUrl: url,
      apiKey: () => key,
      authToken: () => "",
      timeoutMs,
      clock: { now, monotonicMs: now },
    }),
});

describeModelClient({
  name: "primary, at a gateway",
  wire: "messages",
  create: ({ url, key, timeoutMs, now }) =>
    createPrimaryClient({
      model: "sonnet-5",
      baseUrl: `${url}/anthropic/v1/`,
      apiKey: () => "",
      authToken: () => key,
      timeoutMs,
      clock: { now, monotonicMs: now },
    }),
});

describe("what primary sends", () => {
  const clock = { now: () => 1, monotonicMs: () => 1 };
  const signal = new AbortController().signal;

  async function sent(model: string, keys: { apiKey?: string; authToken?: string }, path = "") {
    const server = await modelServer();
    const client = createPrimaryClient({
      model,
      baseUrl: server.url + path,
      apiKey: () => keys.apiKey ?? "",
      authToken: () => keys.authToken ?? "",
      timeoutMs: 5_000,
      clock,
    });
    await client.complete(contractRequest, signal);
    await client.close();
    return server.requests[0];
  }

  test("a key goes as x-api-key, a token as a bearer, each only where it is set", async () => {
    const key = await sent("haiku-4-5-20251001", { apiKey: contractKey });
    expect(key?.headers["x-api-key"]).toBe(contractKey);
    expect(key?.headers.authorization).toBeUndefined();
    const token = await sent("haiku-4-5-20251001", { authToken: contractKey });
    expect(token?.headers["x-api-key"]).toBeUndefined();
    expect(token?.headers.authorization).toBe(`Bearer ${contractKey}`);
    const neither = await sent("haiku-4-5-20251001", {});
    expect(neither?.headers["x-api-key"] ?? neither?.headers.authorization).toBeUndefined();
  });

  test("sends the full id, API version, cached system text and reduced schema", async () => {
    const request = await sent("haiku-4-5-20251001", { apiKey: contractKey });
    expect(request?.path).toBe("/v1/messages");
    expect(request?.headers["anthropic-version"]).toBe("2023-06-01");
    expect(request?.body).toMatchObject({
      model: "claude-haiku-4-5-20251001",
      max_tokens: 512,
      system: [{ type: "text", cache_control: { type: "ephemeral" } }],
      output_config: {
        format: {
          type: "json_schema",
          schema: {
            required: ["nothing", "title"],
            additionalProperties: false,
            properties: { title: { type: "string" } },
          },
        },
      },
    });
    expect(request?.raw).not.toContain("maxLength");
    expect(request?.raw).not.toContain("thinking");
  });

  test("turns off thinking of a model that thinks by default", async () => {
    const request = await sent("sonnet-5", { apiKey: contractKey });
    expect(request?.body).toMatchObject({ model: "claude-sonnet-5", thinking: { type: "disabled" } });
  });

  test.each([
    ["/gw", "/gw/v1/messages"],
    ["/gw/", "/gw/v1/messages"],
    ["/gw/v1", "/gw/v1/messages"],
    ["/v1/messages", "/v1/messages"],
  ])("a gateway at %s is asked at %s", async (base, path) => {
    expect((await sent("opus-4-8", { authToken: "t" }, base))?.path).toBe(path);
  });
});

describe("what primary refuses to send", () => {
  const client = (options: { baseUrl: string; apiKey: string }) =>
    createPrimaryClient({
      model: "haiku-4-5-20251001",
      baseUrl: options.baseUrl,
      apiKey: () => options.apiKey,
      authToken: () => "",
      timeoutMs: 5_000,
      clock: { now: () => 1, monotonicMs: () => 1 },
      resolve: () => expect.fail("a name was looked up"),
    });

  test.each([
    ["no key for the public address", { baseUrl: "", apiKey: " " }, /No key is set: LLM_API_KEY/],
    ["a key that no header carries", { baseUrl: "", apiKey: "a\nb" }, /cannot be sent/],
    ["an address of another scheme", { baseUrl: "ftp://h/", apiKey: "k" }, /LLM_BASE_URL is not an http/],
    ["an address that is none", { baseUrl: "http://", apiKey: "k" }, /LLM_BASE_URL is not an http/],
    ["an address with a password", { baseUrl: "https://u:p@h/", apiKey: "k" }, /holds a user or password/],
  ])("%s", async (_what, options, message) => {
    await expect(
      client(options).complete(contractRequest, new AbortController().signal),
    ).rejects.toMatchObject({ kind: "auth", message: expect.stringMatching(message) });
  });
});
