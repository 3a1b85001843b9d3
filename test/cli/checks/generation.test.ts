import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkProvider, checkQueue, checkSync } from "../../../src/cli/checks/generation.ts";
import { checkWorker } from "../../../src/cli/checks/running.ts";
import type { Health } from "../../../src/client/worker-client.ts";
import { dataPaths } from "../../../src/core/paths.ts";
import {
  type GenerationPause,
  pauseNotice,
  stuckNotice,
} from "../../../src/core/records/generation-pause.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import type { SettingKey } from "../../../src/settings/table.ts";
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

function check(
  worker: Health | null,
  env: Record<string, string> = {},
  dotEnv?: string,
  unused: SettingKey[] = [],
) {
  const dataDir = tempDir();
  if (dotEnv !== undefined) writeFileSync(dataPaths(dataDir).dotEnv, dotEnv, { mode: 0o600 });
  const settings = loadSettings({ dataDir, env, readOnly: true });
  return checkProvider({ health: worker, settings, env, nowEpochMs: now, unused });
}

test("a provider that refuses access is broken, and the step out of it is named", () => {
  expect(check(health({ paused: refused }))).toEqual({
    name: "Provider",
    state: "fail",
    message: "primary (haiku), paused: access refused. 401: bad key",
    next: "Set a key.",
  });
});

test("a pause that ends by itself is a warning without a step", () => {
  const found = check(health({ paused: limited }));
  expect(found.state).toBe("warn");
  expect(found).not.toHaveProperty("next");
});

const local = { name: "primary", active: "local", model: null };
const standsInFor = (name: string) => health({ provider: { ...local, name } });

test.each<[string, string, Record<string, string>, Health | null, string | undefined]>([
  ["ok", "by your subscription", {}, health(), undefined],
  ["ok", "is not set up: there is no command `claude` on PATH", {}, standsInFor("primary"), "HOST_CLI_PATH"],
  ["ok", "primary: there is no command `claude` on PATH", {}, null, "Install Claude Code"],
  ["warn", "HOST_CLI_PATH is /gone/claude", { HOST_CLI_PATH: "/gone/claude" }, health(), "HOST_CLI_PATH"],
  [
    "warn",
    "Nothing is missing any more",
    { MEM_PROVIDER: "compat", MEM_COMPAT_API_KEY: "k" },
    standsInFor("compat"),
    "mem worker restart",
  ],
  ["warn", "no key", { MEM_PRIMARY_AUTH_METHOD: "api-key" }, health(), "LLM_API_KEY"],
  ["warn", "gateway has no address", { MEM_PRIMARY_AUTH_METHOD: "gateway" }, health(), "LLM_BASE_URL"],
  ["warn", "no key", { MEM_PROVIDER: "secondary" }, standsInFor("secondary"), "MEM_SECONDARY_API_KEY"],
  ["warn", "no key", { MEM_PROVIDER: "secondary" }, null, "MEM_SECONDARY_API_KEY"],
  ["ok", "with its key", { MEM_PROVIDER: "secondary", MEM_SECONDARY_API_KEY: "k" }, null, undefined],
  ["warn", "neither a key", { MEM_PROVIDER: "compat" }, standsInFor("compat"), "MEM_COMPAT_API_KEY"],
  [
    "warn",
    "MEM_COMPAT_MODEL is still openrouter/free, which your own server probably does not have",
    { MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: "http://127.0.0.1:11434" },
    null,
    "mem settings set MEM_COMPAT_MODEL <model> && mem worker restart",
  ],
  [
    "ok",
    "address of your own",
    { MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: "http://127.0.0.1:11434", MEM_COMPAT_MODEL: "qwen3:8b" },
    null,
    undefined,
  ],
  ["ok", "without a model", { MEM_PROVIDER: "local" }, null, undefined],
])("the provider is %s: %s with %j", (state, words, env, worker, next) => {
  const found = check(worker, env);
  expect(found).toMatchObject({ state, message: expect.stringContaining(words) });
  if (next !== undefined) expect(found.next).toContain(next);
});

test("a command that may not be run is no command, and one on PATH is", () => {
  const folder = tempDir();
  const path = join(folder, "claude");
  writeFileSync(path, "#!/bin/sh\n", { mode: 0o600 });
  for (const env of [{ PATH: folder }, { HOST_CLI_PATH: path }]) {
    chmodSync(path, 0o600);
    expect(check(null, env).message).toMatch(/^primary: .*(which is not an executable file|on PATH)\.$/);
    chmodSync(path, 0o700);
    expect(check(null, env)).toMatchObject({ state: "ok", message: "primary, by your subscription" });
  }
});

test("reads the credentials of .env and reports an unusable one", () => {
  const apiKey = { MEM_PRIMARY_AUTH_METHOD: "api-key" };
  const message = "primary, with an API key";
  expect(check(null, apiKey, "LLM_API_KEY=k")).toMatchObject({ state: "ok", message });
  const gateway = { MEM_PRIMARY_AUTH_METHOD: "gateway" };
  expect(check(null, gateway, "LLM_BASE_URL=https://gateway.invalid")).toMatchObject({ state: "ok" });
  expect(check(null, gateway, "LLM_BASE_URL=gateway")).toMatchObject({
    state: "warn",
    message: "primary: LLM_BASE_URL in .env is not an http or https address.",
    next: expect.stringMatching(/^Fix .*\.env, then `mem worker restart`/),
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
    { queue: { depth: 1, oldestPendingAgeMs: 1_200_000, dead: 0 } },
    "warn",
    "mem worker logs",
  ],
  [
    "what waits for a paused provider",
    { queue: { depth: 1, oldestPendingAgeMs: 1_200_000, dead: 0 }, paused: limited },
    "warn",
    undefined,
  ],
])("%s is seen", (_what, change, state, next) => {
  const found = checkQueue(health(change));
  expect([found.state, found.next]).toEqual([state, next]);
});

test("what provider and queue say themselves is not said again as a notice", () => {
  const notices = ["something else", pauseNotice(refused) ?? "", stuckNotice];
  const state = { is: "answering" as const, health: health({ paused: refused, notices }) };
  expect(checkWorker(state, "1.2.3").map(({ message }) => message)).toEqual([
    expect.stringContaining("process"),
    "something else",
  ]);
});

test("what the check of the mode says is not said again as a notice", () => {
  const state = { is: "answering" as const, health: health({ notices: ["mem: it is broken. Mend it."] }) };
  expect(checkWorker(state, "1.2.3", ["it is broken."])).toHaveLength(1);
  expect(checkWorker(state, "1.2.3", ["it is gone."])).toHaveLength(2);
});

test("what is set but not yet used by the worker is not judged by what writes now", () => {
  const env = { MEM_PROVIDER: "secondary" };
  const found = check(health({ paused: refused }), env, undefined, ["MEM_PROVIDER"]);
  expect(found.message).toMatch(/access refused\. After `mem worker restart` it is secondary: it has no key/);
  expect(found.next).toContain("mem settings set MEM_SECONDARY_API_KEY");
  const set = { ...env, MEM_SECONDARY_API_KEY: "k" };
  expect(check(health(), set, undefined, ["MEM_PROVIDER"]).next).toBe("mem worker restart");
  expect(check(health(), {}, undefined, ["MEM_LOG_LEVEL"]).state).toBe("ok");
});

test("a sentence after a full stop begins with a capital letter", () => {
  const paused = { ...limited, message: "the vendor wants a pause" };
  expect(check(health({ paused })).message).toContain(". The vendor");
});

test("a worker that is degraded is broken, unless the provider's line says why", () => {
  const stateWith = (change: Partial<Health>) => ({
    is: "answering" as const,
    health: health({ status: "degraded", ...change }),
  });
  const [stuck] = checkWorker(stateWith({ notices: [stuckNotice] }), "1.2.3");
  expect(stuck).toMatchObject({ state: "fail", message: expect.stringContaining("its queue does not move") });
  expect(checkWorker(stateWith({ paused: refused }), "1.2.3")[0]?.state).toBe("ok");
});

test.each([
  [undefined, null],
  [{}, { state: "ok", message: "up to date, live" }],
  [
    { waiting: 3, state: "waiting" },
    { state: "ok", message: "about to push, live; 3 records to push" },
  ],
  [{ failed: 1 }, { state: "warn", message: "up to date, live; 1 operation failed" }],
  [
    { state: "paused", live: false },
    { state: "warn", next: "Go on: `mem sync resume`." },
  ],
  [
    { state: "stopped", live: false, reason: "unauthorized" },
    { state: "warn", next: "The hub refuses the token. Set up again: `mem sync setup`." },
  ],
  [
    { state: "backoff", live: false, lastError: "The hub cannot be reached." },
    {
      message: "waiting before the next attempt; The hub cannot be reached.",
      next: "Try now: `mem sync now`.",
    },
  ],
])("sync %j is shown with the next command", (sync, expected) => {
  const calm = { state: "idle", reason: null, live: true, waiting: 0, failed: 0, lastError: null };
  const found = checkSync(health(sync && { sync: { ...calm, ...sync } }));
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ name: "Sync", ...expected });
});
