import { chmodSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createChosenModel } from "../../../src/generate/model/chosen-model.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { contractRequest } from "../../contracts/model-client.ts";
import { startScriptedModel } from "../../helpers/scripted-model.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { modelServer } from "../providers/model-server.ts";

const clock = { now: () => 1, monotonicMs: () => 1 };
const signal = new AbortController().signal;

/** The model that the settings choose, and how to edit the `.env` that lies beside them. */
function chosen(env: Record<string, string>, dotEnv = "") {
  const settings = loadSettings({ dataDir: tempDir(), env });
  const edit = (text: string): void => {
    writeFileSync(settings.paths.dotEnv, text, { mode: 0o600 });
    chmodSync(settings.paths.dotEnv, 0o600);
  };
  edit(dotEnv);
  const warnings: string[] = [];
  const warn = (sentence: string): void => void warnings.push(sentence);
  return { model: createChosenModel({ settings, env: {}, clock, warn }), edit, warnings };
}

test("a key that was written for another gateway does not go to the one of before", async () => {
  const server = await modelServer();
  const before = `LLM_BASE_URL=${server.url}\nLLM_AUTH_TOKEN=token-of-before\n`;
  const { model, edit } = chosen({ MEM_PROVIDER: "primary", MEM_PRIMARY_AUTH_METHOD: "gateway" }, before);
  edit("LLM_BASE_URL=https://gateway.invalid\nLLM_AUTH_TOKEN=token-of-another\n");
  await expect(model?.complete(contractRequest, signal)).rejects.toMatchObject({
    kind: "auth",
    message: "LLM_BASE_URL in .env changed: run `mem worker restart`.",
  });
  expect(server.requests).toEqual([]);
  edit(before.replace("token-of-before", "token-that-was-mended"));
  await model?.complete(contractRequest, signal);
  await model?.close();
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer token-that-was-mended",
  ]);
});

test("a gateway's key does not go to the vendor", async () => {
  const { model, edit } = chosen(
    { MEM_PROVIDER: "primary", MEM_PRIMARY_AUTH_METHOD: "api-key" },
    "LLM_API_KEY=key-of-the-vendor\n",
  );
  edit("LLM_BASE_URL=https://gateway.invalid\nLLM_API_KEY=key-of-a-gateway\n");
  // Refused before anything is sent: an aborted call would say so otherwise.
  await expect(model?.complete(contractRequest, AbortSignal.abort())).rejects.toMatchObject({
    kind: "auth",
    message: expect.stringContaining("mem settings set MEM_PRIMARY_AUTH_METHOD gateway"),
  });
  await model?.close();
});

test("a call times out after the configured time", async () => {
  const server = await startScriptedModel({ script: "hang" });
  onTestFinished(server.close);
  const { model } = chosen({
    MEM_PROVIDER: "compat",
    MEM_COMPAT_BASE_URL: server.url,
    MEM_GENERATION_TIMEOUT_MS: "5000",
  });
  await expect(model?.complete(contractRequest, signal)).rejects.toMatchObject({
    kind: "timeout",
    message: expect.stringContaining("within 5 s"),
  });
  await model?.close();
});

test.each([
  [{ MEM_COMPAT_BASE_URL: "http://127.0.0.1:11434" }, 1],
  [{ MEM_COMPAT_BASE_URL: "http://127.0.0.1:11434", MEM_COMPAT_MODEL: "qwen3:8b" }, 0],
  [{ MEM_COMPAT_BASE_URL: "https://openrouter.ai/api/v1" }, 0],
  [{ MEM_COMPAT_API_KEY: "key-of-the-default" }, 0],
])("with %j the log is warned %d times of a model that the server does not know", (env, times) => {
  const { warnings } = chosen({ MEM_PROVIDER: "compat", ...env });
  expect(warnings).toHaveLength(times);
  for (const warning of warnings) expect(warning).toContain("MEM_COMPAT_MODEL is still openrouter/free");
});
