import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { replacePrivateFile } from "../../src/settings/private-file.ts";
import { changeSettingsFile } from "../../src/settings/settings-file.ts";
import { resetSetting, setSetting, settingKey } from "../../src/settings/write.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a setting that is set is read back, and every other key stays where it was", () => {
  const dataDir = tempDir();
  const path = dataPaths(dataDir).settings;
  writeFileSync(path, '{"mine":{"a":1},"MEM_MODE":"chill","sidebarOpen":true}');
  setSetting(dataDir, "MEM_MODE", " code--es ");
  setSetting(dataDir, "MEM_LOG_LEVEL", "DEBUG");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    mine: { a: 1 },
    MEM_MODE: "code--es",
    sidebarOpen: true,
    MEM_LOG_LEVEL: "DEBUG",
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(loadSettings({ dataDir, env: {} }).get("MEM_LOG_LEVEL")).toBe("DEBUG");
});

test.each([
  ["MEM_CONTEXT_SHOW_LAST_SUMMARY", "yes", "true"],
  ["MEM_CLOUD_SYNC_WS", "OFF", "false"],
  ["MEM_LOG_LEVEL", "debug", "DEBUG"],
  ["MEM_CONTEXT_OBSERVATIONS", "007", "7"],
  ["MEM_DAILY_TOKEN_BUDGET", "200k", "200000"],
  ["MEM_DAILY_TOKEN_BUDGET", "200_000", "200000"],
  ["MEM_MONTHLY_TOKEN_BUDGET", "1.5M", "1500000"],
  ["MEM_MONTHLY_TOKEN_BUDGET", "20000000000", "20000000000"],
  ["MEM_SKIP_TOOLS", "Bash, Read", "Bash, Read"],
  ["MEM_TV_TOKEN", "canary", "canary"],
] as const)("%s set to %s is stored as %s", (key, text, stored) => {
  const dataDir = tempDir();
  setSetting(dataDir, key, text);
  expect(JSON.parse(readFileSync(dataPaths(dataDir).settings, "utf8"))).toMatchObject({ [key]: stored });
});

test("a setting that is reset has its default again", () => {
  const dataDir = tempDir();
  setSetting(dataDir, "MEM_CONTEXT_OBSERVATIONS", "7");
  resetSetting(dataDir, "MEM_CONTEXT_OBSERVATIONS");
  expect(loadSettings({ dataDir, env: {} }).get("MEM_CONTEXT_OBSERVATIONS")).toBe(50);
});

test.each([
  ["MEM_CONTEXT_OBSERVATIONS", "0"],
  ["MEM_MODEL", "gpt"],
  ["MEM_COMPAT_BASE_URL", "javascript:alert(1)"],
  ["MEM_COMPAT_BASE_URL", "http://169.254.169.254/"],
  ["MEM_COMPAT_BASE_URL", "http://[fe80::1]:8080/v1"],
  ["MEM_COMPAT_BASE_URL", "http://[::ffff:169.254.169.254]/"],
  ["MEM_DAILY_TOKEN_BUDGET", "1.2345k"],
  ["MEM_DAILY_TOKEN_BUDGET", "2_00"],
  ["MEM_DATA_DIR", "/elsewhere"],
] as const)("%s=%s is refused and nothing is written", (key, text) => {
  const dataDir = tempDir();
  expect(() => setSetting(dataDir, key, text)).toThrow(MemError);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("a planted link at the unfinished file is not written through", () => {
  const dataDir = tempDir();
  const target = join(tempDir(), "target");
  writeFileSync(target, "theirs");
  symlinkSync(target, `${dataPaths(dataDir).settings}.new`);
  setSetting(dataDir, "MEM_MODE", "chill");
  expect(readFileSync(target, "utf8")).toBe("theirs");
  expect(loadSettings({ dataDir, env: {} }).get("MEM_MODE")).toBe("chill");
});

test("an unfinished file that a dead writer left does not stop the next one", () => {
  const dataDir = tempDir();
  const next = `${dataPaths(dataDir).settings}.new`;
  writeFileSync(next, "half");
  utimesSync(next, 1, 1);
  setSetting(dataDir, "MEM_MODE", "chill");
  expect(existsSync(next)).toBe(false);
});

test("waits less for a killed writer's file than a start waits for the lock", () => {
  const dataDir = tempDir();
  const next = `${dataPaths(dataDir).settings}.new`;
  writeFileSync(next, "half");
  setSetting(dataDir, "MEM_MODE", "chill");
  expect(existsSync(next)).toBe(false);
  expect(loadSettings({ dataDir, env: {} }).get("MEM_MODE")).toBe("chill");
});

test.each(["ours", null])("neither renames nor deletes another writer's file (%s)", (text) => {
  const path = join(tempDir(), "file.json");
  writeFileSync(path, "before");
  const write = () =>
    replacePrivateFile(path, "settings_unreadable", () => {
      rmSync(`${path}.new`);
      writeFileSync(`${path}.new`, "theirs");
      return text;
    });
  expect(write).toThrow("file.json cannot be written.");
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readFileSync(`${path}.new`, "utf8")).toBe("theirs");
});

test("loses no setting when eight processes write concurrently", async () => {
  const dataDir = tempDir();
  const script = join(tempDir(), "writer.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("../../src/settings/settings-file.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: script,
  });
  const run = `import { changeSettingsFile } from ${JSON.stringify(script)};
    for (let n = 0; n < 5; n += 1) changeSettingsFile(process.argv[1], { ["w" + process.argv[2] + n]: "x" });`;
  const writers = Array.from({ length: 8 }, (_, index) =>
    spawn(process.execPath, ["--input-type=module", "-e", run, "--", dataDir, String(index)], {
      stdio: "inherit",
    }),
  );
  const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0]));
  expect(codes).toEqual(Array(8).fill(0));
  const file: unknown = JSON.parse(readFileSync(dataPaths(dataDir).settings, "utf8"));
  expect(Object.keys(file as object).filter((key) => key.startsWith("w"))).toHaveLength(40);
});

test("null removes a key", () => {
  const dataDir = tempDir();
  changeSettingsFile(dataDir, { selectedProject: "demo" });
  changeSettingsFile(dataDir, { selectedProject: null });
  expect(JSON.parse(readFileSync(dataPaths(dataDir).settings, "utf8"))).not.toHaveProperty("selectedProject");
});

test("a key is found in any case and without its prefix, and a near miss is named", () => {
  expect(settingKey("mem_mode")).toBe("MEM_MODE");
  expect(settingKey("log_level")).toBe("MEM_LOG_LEVEL");
  expect(() => settingKey("nope")).toThrow("There is no setting nope.");
  expect(nearest("port")).toContain("MEM_WORKER_PORT");
});

function nearest(name: string): string {
  try {
    settingKey(name);
  } catch (error) {
    if (error instanceof MemError) return error.hint ?? "";
  }
  return "";
}
