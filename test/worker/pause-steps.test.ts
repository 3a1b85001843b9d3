import { expect, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { describePause } from "../../src/worker/pause-steps.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function depsWith(env: Record<string, string>, { localWrites = false, isFallback = false } = {}) {
  const settings = loadSettings({ dataDir: tempDir(), env });
  const home = { HOME: tempDir(), ...env };
  return { settings, env: home, localWrites: () => localWrites, isFallback: () => isFallback };
}
const refused = { kind: "auth" as const, message: "401", until: 5 };
const gateway = { MEM_PROVIDER: "primary", MEM_PRIMARY_AUTH_METHOD: "gateway" };

test.each([
  [{}, "claude /login"],
  [{ CLAUDE_CODE_OAUTH_TOKEN: "t" }, "claude setup-token"],
  [{ ANTHROPIC_API_KEY: "k" }, "mem settings set MEM_PRIMARY_AUTH_METHOD api-key"],
  [{ ANTHROPIC_AUTH_TOKEN: "t" }, "mem settings set MEM_PRIMARY_AUTH_METHOD gateway"],
  [{ CLAUDE_CODE_USE_BEDROCK: "1", ANTHROPIC_API_KEY: "k" }, "through a cloud"],
  [{ MEM_PRIMARY_AUTH_METHOD: "api-key" }, "LLM_API_KEY"],
  [{ MEM_PRIMARY_AUTH_METHOD: "gateway" }, "LLM_AUTH_TOKEN"],
  [{ MEM_PROVIDER: "secondary" }, "mem settings set MEM_SECONDARY_API_KEY"],
  [{ MEM_PROVIDER: "compat" }, "mem settings set MEM_COMPAT_API_KEY"],
])("with %j a refused key names %s", (env, step) => {
  const reason = { ...refused, fix: "key" as const };
  const pause = describePause({ state: "probing", reason }, depsWith(env));
  expect(pause).toEqual({ ...refused, fix: "key", next: expect.stringContaining(step) });
});

test.each([
  [{ MEM_PROVIDER: "compat" }, "model", "mem settings set MEM_COMPAT_MODEL <model>"],
  [{ MEM_PROVIDER: "compat" }, "address", "mem settings set MEM_COMPAT_BASE_URL <address>"],
  [{ MEM_PROVIDER: "secondary" }, "model", "mem settings set MEM_SECONDARY_MODEL <model>"],
  [gateway, "model", "mem settings set MEM_MODEL <model>"],
  [gateway, "address", "LLM_BASE_URL"],
  [{}, "command", "mem settings set HOST_CLI_PATH <path>"],
] as const)("with %j a wrong %s is fixed by %s, not by another key", (env, fix, step) => {
  const reason = { ...refused, fix };
  const pause = describePause({ state: "paused", reason }, depsWith(env));
  expect(pause?.next).toContain(step);
});

test("a refusal whose message says what to do asks for no key", () => {
  const pause = describePause({ state: "paused", reason: refused }, depsWith({}));
  expect(pause?.next).toBeNull();
});

test("what ends by itself asks for nothing, and an open flow is no pause", () => {
  const limited = { kind: "rate_limited" as const, message: "429", until: 5 };
  expect(describePause({ state: "paused", reason: limited }, depsWith({}))?.next).toBeNull();
  expect(describePause({ state: "ready", reason: null }, depsWith({}))).toBeNull();
});

test("every command that changes a setting restarts the worker too", () => {
  for (const env of [{}, { MEM_PROVIDER: "secondary" }, { MEM_PROVIDER: "compat" }])
    for (const kind of ["auth", "quota"] as const) {
      const reason = { ...refused, kind, fix: "key" as const };
      const next = describePause({ state: "paused", reason }, depsWith(env))?.next;
      expect(next).toMatch(/`mem settings set [^`]+ && mem worker restart`/);
    }
});

test("a pause during which local writes says so", () => {
  const state = { state: "paused" as const, reason: refused };
  expect(describePause(state, depsWith({}, { localWrites: true }))?.localWrites).toBe(true);
  expect(describePause(state, depsWith({}))).not.toHaveProperty("localWrites");
});

test("a fallback that is tried again is still one, and names the next step", () => {
  const reason = { ...refused, fix: "key" as const };
  const pause = describePause({ state: "probing", reason }, depsWith({}, { isFallback: true }));
  expect(pause).toMatchObject({
    localWrites: true,
    isFallback: true,
    next: expect.stringContaining("/login"),
  });
});
