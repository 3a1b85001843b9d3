import { describe, expect, test } from "vitest";
import { createSecondaryClient } from "../../../src/generate/providers/secondary.ts";
import { contractKey, contractRequest, describeModelClient } from "../../contracts/model-client.ts";
import { modelServer } from "./model-server.ts";

describeModelClient({
  name: "secondary",
  wire: "gemini",
  create: ({ url, key, timeoutMs, now }) =>
    createSecondaryClient({
      model: "flash-latest",
      origin: url,
      apiKey: () => key,
      timeoutMs,
      clock: { now, monotonicMs: now },
    }),
});

describe("what secondary sends", () => {
  const clock = { now: () => 1, monotonicMs: () => 1 };

  async function sent(model: string) {
    const server = await modelServer();
    const client = createSecondaryClient({
      model,
      origin: server.url,
      apiKey: () => contractKey,
      timeoutMs: 5_000,
      clock,
    });
    await client.complete(contractRequest, new AbortController().signal);
    await client.close();
    return server.requests[0];
  }

  test("the key in its header, the full id in the path, the schema in the configuration", async () => {
    const request = await sent("3.1-flash-lite");
    expect(request?.path).toBe("/v1beta/models/gemini-3.1-flash-lite:generateContent");
    expect(request?.headers["x-goog-api-key"]).toBe(contractKey);
    expect(request?.body).toMatchObject({
      systemInstruction: { parts: [{ text: contractRequest.system }] },
      contents: [{ role: "user", parts: [{ text: contractRequest.prompt }] }],
      generationConfig: {
        maxOutputTokens: 512,
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", additionalProperties: false },
      },
    });
    expect(request?.raw).not.toContain("thinkingConfig");
  });

  test("asks a Flash model for the lowest thinking level", async () => {
    expect((await sent("flash-latest"))?.body).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: "low" } },
    });
  });

  test("sends no request without a key", async () => {
    const client = createSecondaryClient({
      model: "flash-latest",
      apiKey: () => "",
      timeoutMs: 5_000,
      clock,
    });
    await expect(client.complete(contractRequest, new AbortController().signal)).rejects.toMatchObject({
      kind: "auth",
      message: "No key is set: MEM_SECONDARY_API_KEY.",
    });
  });
});
