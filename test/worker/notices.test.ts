import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { type GenerationPause, stuckNotice } from "../../src/core/records/generation-pause.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { createNotices } from "../../src/worker/notices.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const refused: GenerationPause = {
  kind: "auth",
  message: "401",
  until: null,
  next: "Run `claude /login`, mem then continues by itself.",
};

interface State {
  pause?: GenerationPause;
  isStuck?: boolean;
  storage?: MemError;
  reindexed?: string[];
  env?: Record<string, string>;
  dataDir?: string;
}

function noticesWhile(state: State) {
  const { dataDir = tempDir(), env = {} } = state;
  const notices = createNotices(
    loadSettings({ dataDir, env }),
    { pause: () => state.pause ?? null, isStuck: () => state.isStuck ?? false },
    { storageFailure: () => state.storage ?? null, reindexed: state.reindexed ?? [] },
  );
  return { notices, state, dataDir };
}

test("reports a provider that refuses access with the next step, once a session", () => {
  const { notices } = noticesWhile({ pause: refused, isStuck: true });
  expect(notices.first("a")).toContain("claude /login");
  expect(notices.first("a")).toBeNull();
  expect(notices.first("b")).toContain("claude /login");
  expect(notices.all()).toEqual([expect.stringContaining("claude /login")]);
});

test("while local writes for a refused model, the notice names it and the fix", () => {
  const { notices } = noticesWhile({ pause: { ...refused, localWrites: true } });
  const told = notices.first("a");
  expect(told).toMatch(/local rules write observations meanwhile; `mem regenerate`.*claude \/login/);
  expect(told).not.toContain("no model writes");
});

test("a refused login that the user never chose is no notice", () => {
  const { notices } = noticesWhile({ pause: { ...refused, localWrites: true, isFallback: true } });
  expect(notices.first("a")).toBeNull();
  expect(notices.all()).toEqual([]);
});

test("reports a full disk at the start of every session while it lasts", () => {
  const { notices, state } = noticesWhile({ storage: new MemError("storage_full") });
  for (const session of ["a", "a", "b"]) expect(notices.first(session)).toContain("Free some space");
  delete state.storage;
  expect(notices.first("c")).toBeNull();
});

test("a rebuilt index is a notice of health, and of no session", () => {
  const { notices } = noticesWhile({ reindexed: ["observations_time", "observations_project"] });
  expect(notices.all()).toEqual([
    expect.stringMatching(/observations_time, observations_project, and mem rebuilt it/),
  ]);
  expect(notices.first("a")).toBeNull();
});

test("reports a stuck queue once a session, and no more when it moves", () => {
  const { notices, state } = noticesWhile({ isStuck: true });
  expect(notices.first("a")).toBe(stuckNotice);
  state.isStuck = false;
  expect(notices.first("b")).toBeNull();
  expect(notices.all()).toEqual([]);
});

test("a pause that ends by itself is no notice", () => {
  const { notices } = noticesWhile({ pause: { ...refused, kind: "rate_limited" } });
  expect(notices.first("a")).toBeNull();
});

test("a notice for one session comes before a notice for every session", () => {
  const { notices, dataDir } = noticesWhile({ pause: refused });
  writeFileSync(dataPaths(dataDir).installVersion, "0.0.1");
  expect(notices.first("a")).toContain("refuses access");
  expect(notices.first("a")).toContain("installed by version 0.0.1");
  expect(notices.first("a")).toContain("installed by version 0.0.1");
});

test("reports a missing mode with the next step, once a session, after a stuck queue", () => {
  const { notices, state } = noticesWhile({ env: { MEM_MODE: "gone" } });
  const told = notices.first("a");
  expect(told).toContain('MEM_MODE cannot be used, code is used instead: There is no mode "gone".');
  expect(told).toContain("`mem mode use <name>`");
  expect(notices.first("a")).toBeNull();
  expect(notices.all()).toEqual([told]);
  state.isStuck = true;
  expect(notices.first("b")).toBe(stuckNotice);
  expect(notices.all()).toEqual([stuckNotice, told]);
});

test("reports a broken mode file with its error", () => {
  const dataDir = tempDir();
  const { modes } = dataPaths(dataDir);
  mkdirSync(modes, { recursive: true });
  writeFileSync(join(modes, "mine.json"), "{");
  const { notices } = noticesWhile({ dataDir, env: { MEM_MODE: "mine", MEM_PROVIDER: "local" } });
  expect(notices.all().join()).toMatch(/mine\.json: it is not valid JSON.*mem worker restart/);
});

test("reports an invalid budget with setting, value and next step", () => {
  const dataDir = tempDir();
  writeFileSync(dataPaths(dataDir).settings, '{"MEM_DAILY_TOKEN_BUDGET":"two hundred"}');
  const { notices } = noticesWhile({ dataDir });
  const told = notices.first("a");
  expect(told).toContain('MEM_DAILY_TOKEN_BUDGET in settings.json: "two hundred" is not a whole number');
  expect(told).toContain("`mem settings set MEM_DAILY_TOKEN_BUDGET <tokens> && mem worker restart`");
  expect(notices.all()).toEqual([told]);
});

test("reports an invalid price table until it is fixed, never at a session start", () => {
  const { notices, dataDir } = noticesWhile({});
  expect(notices.all()).toEqual([]);
  writeFileSync(dataPaths(dataDir).prices, '{"models":{"m":{"input":"cheap"}}}');
  expect(notices.all().join()).toMatch(
    /prices\.json is not a price table at models\.m\.input.*mem worker restart/,
  );
  expect(notices.first("a")).toBeNull();
  writeFileSync(dataPaths(dataDir).prices, '{"models":{"m":{"input":1,"output":2.5}}}');
  expect(notices.all()).toEqual([]);
});
