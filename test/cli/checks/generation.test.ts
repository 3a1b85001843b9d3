import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkProvider, checkQueue } from "../../../src/cli/checks/generation.ts";
import { checkWorker } from "../../../src/cli/checks/running.ts";
import type { Health } from "../../../src/client/worker-client.ts";
import { type GenerationPause, pauseNotice, stuckNotice } from "../../../src/domain/generation-pause.ts";
import { dataPaths } from "../../../src/paths.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const now = 1_760_000_000_000;
const refused: GenerationPause = { kind: "auth", message: "401: bad key", until: null, next: "Set a key." };
const limited: GenerationPause = { kind: "rate_limited", message: "429", until: now + 1, next: null };

function health(change: Partial<Health> = {}): Health {
  return {
    status: "ok",
    port: 1,
    version: "1.2.3",
    uptime: 1,
    pid: 1,
    instance: "one",
    queue: { depth: 0, oldestPendingAgeMs: null, dead: 0 },
    provider: { name: "primary", active: "primary", model: "haiku" },
    paused: null,
    budget: null,
    notices: [],
    ...change,
  };
}

const settings = (env: Record<string, string> = {}, dotEnv?: string) => {
  const dataDir = tempDir();
  if (dotEnv !== undefined) writeFileSync(dataPaths(dataDir).dotEnv, dotEnv, { mode: 0o600 });
  return loadSettings({ dataDir, env, readOnly: true });
};

test("a provider that refuses access is broken, and the step out of it is named", () => {
  expect(checkProvider(health({ paused: refused }), settings(), now)).toEqual({
    name: "Provider",
    state: "fail",
    message: "primary (haiku), paused: access refused. 401: bad key",
    next: "Set a key.",
  });
});

test("a pause that ends by itself is a warning without a step", () => {
  const check = checkProvider(health({ paused: limited }), settings(), now);
  expect(check.state).toBe("warn");
  expect(check).not.toHaveProperty("next");
});

const local = { name: "primary", active: "local", model: null };

test.each<[string, string, Record<string, string>, Health | null, string | undefined]>([
  ["ok", "by your subscription", {}, health(), undefined],
  ["ok", "local, because primary is not set up", {}, health({ provider: local }), undefined],
  [
    "warn",
    "local, because compat is not set up",
    { MEM_PROVIDER: "compat", MEM_COMPAT_API_KEY: "k" },
    health({ provider: { ...local, name: "compat" } }),
    "mem worker logs",
  ],
  ["warn", "no key", { MEM_PRIMARY_AUTH_METHOD: "api-key" }, health(), "LLM_API_KEY"],
  ["warn", "no key", { MEM_PROVIDER: "secondary" }, null, "MEM_SECONDARY_API_KEY"],
  ["ok", "with its key", { MEM_PROVIDER: "secondary", MEM_SECONDARY_API_KEY: "k" }, null, undefined],
  ["warn", "no key", { MEM_PROVIDER: "compat" }, null, "MEM_COMPAT_API_KEY"],
  [
    "ok",
    "address of your own",
    { MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: "http://127.0.0.1:11434" },
    null,
    undefined,
  ],
  ["ok", "without a model", { MEM_PROVIDER: "local" }, null, undefined],
])("the provider is %s: %s with %j", (state, words, env, worker, next) => {
  const check = checkProvider(worker, settings(env), now);
  expect(check).toMatchObject({ state, message: expect.stringContaining(words) });
  if (next !== undefined) expect(check.next).toContain(next);
});

test("the key of .env is seen", () => {
  const withKey = settings({ MEM_PRIMARY_AUTH_METHOD: "api-key" }, "LLM_API_KEY=k");
  expect(checkProvider(null, withKey, now)).toMatchObject({
    state: "ok",
    message: "primary, with an API key",
  });
});

test.each<[string, Partial<Health>, string, string | undefined]>([
  ["an empty queue", {}, "ok", undefined],
  [
    "what was given up",
    { queue: { depth: 0, oldestPendingAgeMs: null, dead: 2 } },
    "warn",
    "mem queue list --failed",
  ],
  [
    "what waits too long",
    { queue: { depth: 1, oldestPendingAgeMs: 600_000, dead: 0 } },
    "warn",
    "mem worker logs",
  ],
  [
    "what waits for a paused provider",
    { queue: { depth: 1, oldestPendingAgeMs: 600_000, dead: 0 }, paused: limited },
    "warn",
    undefined,
  ],
])("%s is seen", (_what, change, state, next) => {
  const check = checkQueue(health(change));
  expect([check.state, check.next]).toEqual([state, next]);
});

test("what provider and queue say themselves is not said again as a notice", () => {
  const notices = ["something else", pauseNotice(refused) ?? "", stuckNotice];
  const state = { is: "answering" as const, health: health({ paused: refused, notices }) };
  expect(checkWorker(state, "1.2.3").map(({ message }) => message)).toEqual([
    expect.stringContaining("process"),
    "something else",
  ]);
});
