import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRepository } from "../capture/projects/work-tree-support.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { workingMem } from "./working-mem.ts";

test("lists, renames and merges two projects of one folder name, and events follow", async () => {
  const { mem, client, edit } = await workingMem();
  const root = tempDir();
  const one = makeRepository(join(root, "work", "app"), "https://u:hunter2@a.example/x/one.git");
  const two = join(root, "play", "app");
  mkdirSync(two, { recursive: true });
  await edit(one, join(one, "pepper.ts"), "one();\n");
  await edit(two, join(two, "mint.ts"), "two();\n");
  expect((await client.projects()).sort()).toEqual(["app", "play/app"]);
  expect(await client.injectedContext(["app"])).not.toContain("mint.ts");
  expect(await client.injectedContext(["play/app"])).not.toContain("pepper.ts");
  const list = await mem("project", "list");
  expect(list.stdout).toContain("recognized by remote a.example/x/one");
  expect(list.stdout).toMatch(/^play\/app {2}1 observation · 1 session · just now$/m);
  expect(list.stdout).not.toContain("hunter2");
  expect(await mem("project", "rename", "app", "shop")).toMatchObject({
    code: 0,
    stdout: "Renamed app to shop.\n",
  });
  const nameless = await mem("project", "rename", "shop", "");
  expect(nameless).toMatchObject({ code: 64 });
  expect(nameless.stderr).toContain("The new name is empty");
  const refused = await mem("project", "rename", "shop", "play/app");
  expect(refused.code).toBe(65);
  expect(refused.stderr).toContain("mem project merge shop play/app");
  expect((await edit(one, join(one, "more.ts"), "three();\n")).project).toBe("shop");
  const unasked = await mem("project", "merge", "play/app", "shop");
  expect(unasked.code).toBe(64);
  expect(unasked.stderr).toContain("--yes");
  const merged = await mem("project", "merge", "play/app", "shop", "--yes", "--json");
  expect(JSON.parse(merged.stdout)).toEqual({ project: "shop", left: 0 });
  expect((await mem("search", "mint", "--project", "shop", "--type", "observations")).stdout).toContain(
    "mint.ts",
  );
  expect((await mem("search", "pepper", "--project", "app", "--type", "observations")).stdout).toContain(
    "pepper.ts",
  );
  expect((await edit(two, join(two, "late.ts"), "four();\n")).project).toBe("shop");
  expect(JSON.parse((await mem("project", "list", "--json")).stdout)).toMatchObject({
    items: [{ project: "shop", aliases: ["app", "play/app"], observations: 4, sessions: 2 }],
  });
  expect((await mem("project", "merge", "nothing", "shop", "--yes")).code).toBe(66);
  for (const words of [
    ["nothing", "shop"],
    ["shop", "nothing"],
  ]) {
    const unknown = await mem("project", "merge", ...words);
    expect(unknown).toMatchObject({ code: 66 });
    expect(unknown.stderr).toContain("No project named `nothing`.");
  }
});

test("no program that a repository names is run for it", async () => {
  const { edit } = await workingMem();
  const root = tempDir();
  const repository = makeRepository(join(root, "trap"));
  writeFileSync(
    join(repository, ".git", "config"),
    `[core]\n\tfsmonitor = touch ${root}/ran\n\tsshCommand = touch ${root}/ran\n\thooksPath = ${root}\n[include]\n\tpath = ${root}/other\n`,
  );
  expect((await edit(repository, join(repository, "a.ts"), "one();\n")).project).toBe("trap");
  expect(existsSync(join(root, "ran"))).toBe(false);
});
