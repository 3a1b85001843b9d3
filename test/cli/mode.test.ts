import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { loadMode } from "../../src/settings/modes/load-mode.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { calledMem, type Mem } from "./mem.ts";

function writeMode(mem: Mem, name: string, text: string): void {
  const { modes } = dataPaths(mem.home.dataDir);
  mkdirSync(modes, { recursive: true });
  writeFileSync(join(modes, `${name}.json`), text);
}

test("list marks the active mode, shows your own first, and why one is broken", async () => {
  const mem = calledMem();
  const shipped = await mem("mode", "list");
  expect(shipped).toMatchObject({ code: 0, stderr: "" });
  expect(shipped.stdout).toMatch(/^\* code {2}/m);
  expect(shipped.stdout).toMatch(/^ {2}code--ja +コード/m);
  writeMode(mem, "code--mine", '{"title":"Mine"}');
  writeMode(mem, "broken", "{}");
  const { stdout } = await mem.on80Columns("mode", "list");
  expect(stdout).toMatch(/^Your own, in .*modes\n {2}broken +cannot be used:\s/);
  expect(stdout.replace(/\n */g, "")).toMatch(/broken\.json: *title *is *missing/);
  for (const line of stdout.split("\n")) {
    if (!line.startsWith("Your own")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  }
  expect(stdout).toMatch(/^ {2}code--mine +Mine/m);
  const json: { active: string; items: { name: string; source: string }[] } = JSON.parse(
    (await mem("mode", "list", "--json")).stdout,
  );
  expect(json.active).toBe("code");
  expect(json.items.filter(({ source }) => source === "own").map(({ name }) => name)).toEqual([
    "broken",
    "code--mine",
  ]);
});

test("show prints a mode in 80 columns, --json in the format of a mode file", async () => {
  const mem = calledMem();
  const { stdout } = await mem.on80Columns("mode", "show", "chill");
  for (const part of [
    "Title     Chill",
    "\nTypes (types)\n",
    "bugfix",
    "\nConcepts (concepts)\n",
    "trade-off",
    "\nKeeps (keep)\n",
    "\nWording (writing)\n",
  ])
    expect(stdout).toContain(part);
  expect(stdout.split("\n").filter((line) => line.length > 80 && !line.startsWith("File"))).toEqual([]);
  expect((await mem("mode", "show")).stdout).toContain("code (active)");
  const file = (await mem("mode", "show", "research", "--json")).stdout;
  writeMode(mem, "mine", file);
  const { dataDir } = mem.home;
  expect(loadMode("mine", { dataDir })).toEqual({ ...loadMode("research"), name: "mine" });
});

test("use checks the mode, writes MEM_MODE and says that the worker has to start again", async () => {
  const mem = calledMem();
  const run = await mem("mode", "use", "code--es");
  expect(run).toMatchObject({ code: 0, stdout: "The mode is now code--es: Código, en español.\n" });
  expect(run.stderr).toContain("`mem worker restart`");
  const settings: unknown = JSON.parse(readFileSync(dataPaths(mem.home.dataDir).settings, "utf8"));
  expect(settings).toMatchObject({ MEM_MODE: "code--es" });
  expect((await mem("mode", "list")).stdout).toMatch(/^\* code--es/m);
  writeMode(mem, "broken", "{}");
  expect(await mem("mode", "use", "broken")).toMatchObject({ code: 65, stdout: "" });
  const unknown = await mem("mode", "use", "code--xx");
  expect(unknown).toMatchObject({ code: 64, stdout: "" });
  expect(unknown.stderr).toContain('There is no mode "code--xx".');
  expect(JSON.parse((await mem("mode", "use", "chill", "--json")).stdout)).toMatchObject({
    mode: "chill",
    restart: true,
  });
});

test("use says what keeps the new mode's observations from being seen", async () => {
  const mem = calledMem({ MEM_MODE: "code" });
  await mem("settings", "set", "MEM_CONTEXT_OBSERVATION_TYPES", "bugfix,feature");
  const { stderr } = await mem("mode", "use", "research");
  expect(stderr).toContain("The environment sets MEM_MODE too");
  expect(stderr).toContain("MEM_CONTEXT_OBSERVATION_TYPES allows only bugfix, feature");
  expect(stderr).not.toContain("MEM_CONTEXT_OBSERVATION_CONCEPTS");
});

test("a mode that cannot be used is a warning, and code is shown as the active one", async () => {
  const mem = calledMem({ MEM_MODE: "gone" });
  const { stdout, stderr } = await mem("mode", "list");
  expect(stdout).toMatch(/^\* code {2}/m);
  expect(stderr).toContain("MEM_MODE cannot be used, code is used instead");
});
