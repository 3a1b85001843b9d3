import { expect, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { describePause } from "../../src/worker/pause-steps.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const settingsWith = (env: Record<string, string>) => loadSettings({ dataDir: tempDir(), env });
const reason = { kind: "auth", message: "401", until: 5 };

test.each([
  [{}, "claude /login"],
  [{ MEM_PRIMARY_AUTH_METHOD: "api-key" }, "LLM_API_KEY"],
  [{ MEM_PRIMARY_AUTH_METHOD: "gateway" }, "LLM_AUTH_TOKEN"],
  [{ MEM_PROVIDER: "secondary" }, "mem settings set MEM_SECONDARY_API_KEY"],
  [{ MEM_PROVIDER: "compat" }, "mem settings set MEM_COMPAT_API_KEY"],
])("with %j a refused access names %s", (env, step) => {
  const pause = describePause({ state: "probing", reason }, settingsWith(env));
  expect(pause).toEqual({ ...reason, next: expect.stringContaining(step) });
});

test("what ends by itself asks for nothing, and an open flow is no pause", () => {
  const limited = { kind: "rate_limited", message: "429", until: 5 };
  expect(describePause({ state: "paused", reason: limited }, settingsWith({}))?.next).toBeNull();
  expect(describePause({ state: "open", reason: null }, settingsWith({}))).toBeNull();
});
