import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { Secret } from "../../src/settings/secret.ts";
import { type SettingKey, settingKeys } from "../../src/settings/table.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the first load makes the directory 0700 and settings.json 0600 with defaults", () => {
  const dataDir = join(tempDir(), "fresh");
  loadSettings({ dataDir, env: {} });
  const path = dataPaths(dataDir).settings;
  const file: unknown = JSON.parse(readFileSync(path, "utf8"));
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(Object.keys(file as object).sort()).toEqual([...settingKeys].sort());
  expect(Object.values(file as object).every((value) => typeof value === "string")).toBe(true);
  expect(file).toMatchObject({
    MEM_DATA_DIR: dataDir,
    MEM_CONTEXT_OBSERVATIONS: "50",
    MEM_PROVIDER: "primary",
  });
});

test("makes a readable settings.json private, unless the load is read-only", () => {
  const dataDir = tempDir();
  const path = dataPaths(dataDir).settings;
  writeFileSync(path, "{}");
  chmodSync(path, 0o644);
  loadSettings({ dataDir, env: {}, readOnly: true });
  expect(statSync(path).mode & 0o777).toBe(0o644);
  loadSettings({ dataDir, env: {} });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a read-only load writes nothing", () => {
  const dataDir = join(tempDir(), "fresh");
  expect(loadSettings({ dataDir, env: {}, readOnly: true }).get("MEM_MODE")).toBe("code");
  expect(lstatSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
});

test("the defaults are typed: numbers, booleans, lists, secrets", () => {
  const settings = loadSettings({ dataDir: tempDir(), env: {}, readOnly: true });
  expect(settings.get("MEM_CONTEXT_OBSERVATIONS")).toBe(50);
  expect(settings.get("MEM_CLOUD_SYNC_WS")).toBe(true);
  expect(settings.get("MEM_CONTEXT_OBSERVATION_TYPES")).toHaveLength(6);
  expect(settings.get("MEM_SKIP_TOOLS")).toContain("TodoWrite");
  expect(settings.get("MEM_TV_TOKEN")).toBeInstanceOf(Secret);
  expect(settings.get("MEM_WORKER_PORT")).toBe(37_700 + ((process.getuid?.() ?? 0) % 100));
  expect(settings.warnings).toEqual([]);
});

test("environment before file before default, each named as the source", () => {
  const dataDir = tempDir();
  write(dataDir, { MEM_MODE: "chill", MEM_LOG_LEVEL: "DEBUG", MEM_WORKER_PORT: 40_000 });
  const settings = loadSettings({ dataDir, env: { MEM_MODE: "code--es", MEM_LOG_LEVEL: "" } });
  expect(settings.get("MEM_MODE")).toBe("code--es");
  expect(settings.source("MEM_MODE")).toBe("environment");
  expect(settings.get("MEM_LOG_LEVEL")).toBe("DEBUG");
  expect(settings.source("MEM_LOG_LEVEL")).toBe("file");
  expect(settings.get("MEM_WORKER_PORT")).toBe(40_000);
  expect(settings.source("MEM_CONTEXT_FULL_COUNT")).toBe("default");
});

const invalid: [SettingKey, string, unknown][] = [
  ["MEM_MODEL", "opus-9", "haiku-4-5-20251001"],
  ["MEM_SECONDARY_MODEL", "flash", "flash-latest"],
  ["MEM_PROVIDER", "tertiary", "primary"],
  ["MEM_CONTEXT_OBSERVATIONS", "0", 50],
  ["MEM_CONTEXT_OBSERVATIONS", "201", 50],
  ["MEM_CONTEXT_OBSERVATIONS", "1e2", 50],
  ["MEM_CONTEXT_SESSION_COUNT", "51", 10],
  ["MEM_CONTEXT_FULL_COUNT", "21", 5],
  ["MEM_CONTEXT_FULL_FIELD", "title", "narrative"],
  ["MEM_CONTEXT_SHOW_LAST_SUMMARY", "maybe", false],
  ["MEM_WORKER_PORT", "70000", 37_700 + ((process.getuid?.() ?? 0) % 100)],
  ["MEM_WORKER_HOST", "127.0.0.1/evil", "127.0.0.1"],
  ["MEM_MODE", "../../etc", "code"],
  ["MEM_COMPAT_BASE_URL", "file:///etc/passwd", ""],
  ["MEM_LOG_LEVEL", "LOUD", "INFO"],
  ["HOST_CLI_PATH", "bin/host", ""],
];

test.each(invalid)("%s=%s is one warning and the default", (key, text, fallback) => {
  const dataDir = tempDir();
  write(dataDir, { [key]: text });
  const fromFile = loadSettings({ dataDir, env: {} });
  const fromEnvironment = loadSettings({ dataDir: tempDir(), env: { [key]: text } });
  for (const settings of [fromFile, fromEnvironment]) {
    expect(settings.get(key)).toEqual(fallback);
    expect(settings.source(key)).toBe("default");
    expect(settings.warnings).toHaveLength(1);
    expect(settings.warnings[0]).toContain(key);
    expect(settings.warnings[0]).toContain(text);
  }
});

test("a mode's own types and concepts are accepted, what cannot be an id is not", () => {
  const env = {
    MEM_CONTEXT_OBSERVATION_TYPES: "money-trail, bugfix",
    MEM_CONTEXT_OBSERVATION_CONCEPTS: "Gotcha!",
  };
  const settings = loadSettings({ dataDir: tempDir(), env });
  expect(settings.get("MEM_CONTEXT_OBSERVATION_TYPES")).toEqual(["money-trail", "bugfix"]);
  expect(settings.warnings).toHaveLength(1);
  expect(settings.warnings[0]).toContain("other ids of the active mode");
});

test("a warning about a secret repeats nothing of it", () => {
  const settings = loadSettings({
    dataDir: tempDir(),
    env: { MEM_SECONDARY_API_KEY: "canary with spaces" },
  });
  expect(settings.warnings).toHaveLength(1);
  expect(settings.warnings.join()).not.toContain("canary");
});

test("broken JSON is refused with file and position, and stays as it is", () => {
  const dataDir = tempDir();
  const path = dataPaths(dataDir).settings;
  const broken = '{\n  "MEM_MODE": "code",\n  "MEM_LOG_LEVEL" "INFO"\n}\n';
  writeFileSync(path, broken);
  const error = thrownBy(() => loadSettings({ dataDir, env: {} }));
  expect(error.code).toBe("settings_unreadable");
  expect(error.message).toContain(path);
  expect(error.message).toContain("line 3, column 19");
  expect(readFileSync(path, "utf8")).toBe(broken);
});

test("a settings.json that is a link is neither followed nor replaced", () => {
  const dataDir = tempDir();
  const target = join(tempDir(), "theirs.json");
  writeFileSync(target, '{"MEM_MODE":"chill"}');
  symlinkSync(target, dataPaths(dataDir).settings);
  expect(thrownBy(() => loadSettings({ dataDir, env: {} })).code).toBe("settings_unreadable");
  expect(readFileSync(target, "utf8")).toBe('{"MEM_MODE":"chill"}');
  expect(lstatSync(dataPaths(dataDir).settings).isSymbolicLink()).toBe(true);
});

test("a dangling link at settings.json is not written through", () => {
  const dataDir = tempDir();
  const target = join(tempDir(), "new.json");
  symlinkSync(target, dataPaths(dataDir).settings);
  expect(thrownBy(() => loadSettings({ dataDir, env: {} })).code).toBe("settings_unreadable");
  expect(lstatSync(target, { throwIfNoEntry: false })).toBeUndefined();
});

test("refuses a file at the path of the data directory", () => {
  const dataDir = join(tempDir(), "file");
  writeFileSync(dataDir, "");
  expect(thrownBy(() => loadSettings({ dataDir, env: {} })).code).toBe("data_dir_unusable");
});

test("a data directory that others may read is closed to them", () => {
  const dataDir = join(tempDir(), "open");
  mkdirSync(dataDir, { mode: 0o755 });
  loadSettings({ dataDir, env: {} });
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test("warns that a data directory in settings.json has no effect", () => {
  const dataDir = tempDir();
  write(dataDir, { MEM_DATA_DIR: "/somewhere/else" });
  const settings = loadSettings({ dataDir, env: {} });
  expect(settings.get("MEM_DATA_DIR")).toBe(dataDir);
  expect(settings.warnings).toHaveLength(1);
});

function write(dataDir: string, settings: Record<string, unknown>): void {
  writeFileSync(dataPaths(dataDir).settings, JSON.stringify(settings));
}

function thrownBy(run: () => unknown): MemError {
  try {
    run();
  } catch (error) {
    if (error instanceof MemError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
