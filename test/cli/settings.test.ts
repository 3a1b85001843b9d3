import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { settingKeys } from "../../src/settings/table.ts";
import { calledMem, memAtHome } from "./mem.ts";

test("list names every setting, and writes nothing", async () => {
  const mem = calledMem();
  const { code, stdout } = await mem("settings", "list");
  expect(code).toBe(0);
  for (const key of settingKeys) expect(stdout).toContain(key);
  expect(existsSync(mem.home.dataDir)).toBe(false);
});

test("list --json gives value, source, default, effect and meaning of each", async () => {
  const { stdout } = await calledMem({ MEM_MODE: "chill" })("settings", "list", "--json");
  const { items }: { items: Record<string, unknown>[] } = JSON.parse(stdout);
  expect(items).toHaveLength(settingKeys.length);
  expect(items.find(({ key }) => key === "MEM_MODE")).toEqual({
    key: "MEM_MODE",
    value: "chill",
    source: "environment",
    default: "code",
    effect: "restart",
    accepts: "the name of a mode, such as code or code--es",
    meaning: "Active mode.",
  });
});

test("a setting that is set is written, read back, and needs a restart", async () => {
  const mem = calledMem();
  const set = await mem("settings", "set", "MEM_CONTEXT_OBSERVATIONS", "7");
  expect(set).toMatchObject({ code: 0, stdout: "MEM_CONTEXT_OBSERVATIONS is now 7.\n" });
  expect(set.stderr).toContain("mem worker restart");
  expect((await mem("settings", "get", "context_observations")).stdout).toBe("7\n");
});

test("the skipped tools take effect at the next tool use, and set says so", async () => {
  const { stderr } = await calledMem()("settings", "set", "MEM_SKIP_TOOLS", "Bash");
  expect(stderr).toContain("at the next tool use");
});

test("a setting that the environment beats is set with a warning", async () => {
  // The environment may well name what is the default.
  const mem = calledMem({ MEM_PROVIDER: "primary" });
  const { stdout, stderr } = await mem("settings", "set", "MEM_PROVIDER", "local");
  expect(stdout).toBe("MEM_PROVIDER is now local in settings.json.\n");
  expect(stderr).toContain("The environment sets it to primary, which takes precedence");
  const asJson = await mem("settings", "set", "MEM_PROVIDER", "local", "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ value: "primary", stored: "local" });
  expect(asJson.stderr).toContain("The environment sets it to primary");
  const same = await mem("settings", "set", "MEM_PROVIDER", "primary");
  expect(same.stdout).toBe("MEM_PROVIDER is now primary.\n");
});

test("an address that other machines reach is set with a word about them", async () => {
  const mem = calledMem();
  const { code, stderr } = await mem("settings", "set", "MEM_WORKER_HOST", "0.0.0.0");
  expect(code).toBe(0);
  expect(stderr).toContain("Other machines can then reach the port");
  expect((await mem("settings", "set", "MEM_WORKER_HOST", "127.0.0.2")).stderr).not.toContain(
    "Other machines",
  );
});

test("a disk that is full is named, and the setting stays as it was", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const { code, stderr } = await mem.limited("settings", "set", "MEM_MODE", "chill");
  expect(code).toBe(74);
  expect(stderr).toContain("The disk is full: settings.json was not changed.");
  expect(stderr).not.toContain("mem settings edit");
  expect((await mem("settings", "get", "MEM_MODE")).stdout).toBe("code\n");
});

test("without a home nothing is written into the directory that the command runs in", async () => {
  const mem = memAtHome({ HOME: "", USERPROFILE: "", MEM_DATA_DIR: undefined });
  const { code, stderr } = await mem("settings", "set", "MEM_MODE", "chill");
  expect(code).toBe(78);
  expect(stderr).toContain("Set HOME");
  expect(existsSync(".mem")).toBe(false);
});

test("sets unknown words and modes and names them, so that a typo shows", async () => {
  const mem = calledMem();
  const types = await mem("settings", "set", "MEM_CONTEXT_OBSERVATION_TYPES", "bugfix,decison");
  expect(types.code).toBe(0);
  expect(types.stderr).toContain("The mode code has no type decison. Known: discovery, decision,");
  expect((await mem("settings", "set", "MEM_MODE", "cod")).stderr).toContain('There is no mode "cod".');
  const known = await mem("settings", "set", "MEM_CONTEXT_OBSERVATION_CONCEPTS", "gotcha");
  expect(known.stderr).not.toContain("has no concept");
});

test("secrets are masked by list and get, and shown by --reveal only", async () => {
  const mem = calledMem();
  const set = await mem("settings", "set", "MEM_TV_TOKEN", "canary-2718");
  const masked = [
    set.stdout,
    set.stderr,
    (await mem("settings", "list")).stdout,
    (await mem("settings", "list", "--json")).stdout,
    (await mem("settings", "get", "tv_token")).stdout,
  ];
  expect(masked.join("")).not.toContain("canary");
  expect((await mem("settings", "get", "tv_token", "--reveal")).stdout).toBe("canary-2718\n");
});

test.each([
  [["settings", "set", "MEM_MODEL", "gpt"], 65, "one of haiku-4-5-20251001"],
  [["settings", "set", "MEM_NOPE", "1"], 64, "There is no setting MEM_NOPE."],
  [["settings", "set", "MEM_MODE"], 64, "Give a value"],
  [["settings", "get"], 64, "Missing required argument"],
])("mem %j ends with code %i and says why", async (words, code, sentence) => {
  const run = await calledMem()(...words);
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toContain(sentence);
});

test("a broken settings.json stops commands, is named with its place, and is kept", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const { settings } = dataPaths(mem.home.dataDir);
  writeFileSync(settings, "{ broken");
  for (const words of [
    ["settings", "list"],
    ["settings", "set", "MEM_MODE", "chill"],
    ["worker", "start"],
  ]) {
    const run = await mem(...words);
    expect(run.code).toBe(78);
    expect(run.stderr).toContain(`${settings} is not valid JSON: line 1, column 3`);
  }
  expect(readFileSync(settings, "utf8")).toBe("{ broken");
});

test("an invalid value in the file is named by list, and the default is shown", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  writeFileSync(dataPaths(mem.home.dataDir).settings, '{"MEM_MODEL":"gpt"}');
  const { code, stdout, stderr } = await mem("settings", "get", "MEM_MODEL");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "haiku-4-5-20251001\n" });
  expect(stderr).toContain('MEM_MODEL in settings.json: "gpt" is not one of');
});

test("path prints the file, and edit opens it in the editor even when it is broken", async () => {
  const mem = calledMem({
    EDITOR: `${process.execPath} -e require("fs").writeFileSync(process.argv[1],"{}")`,
  });
  await mem("settings", "set", "MEM_MODE", "code");
  const { settings } = dataPaths(mem.home.dataDir);
  expect((await mem("settings", "path")).stdout).toBe(`${settings}\n`);
  writeFileSync(settings, "{ broken");
  expect((await mem("settings", "edit")).code).toBe(0);
  expect(readFileSync(settings, "utf8")).toBe("{}");
});
