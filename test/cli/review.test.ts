import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/worker-process.ts";
import { workingMem } from "./working-mem.ts";

test("hides a rejected observation, names the successor of a replaced one, undoes both", async () => {
  const { mem, client, edit } = await workingMem();
  const shop = join(tempDir(), "shop");
  mkdirSync(shop);
  const first = await edit(shop, join(shop, "pepper.ts"), "one();\n");
  const second = await edit(shop, join(shop, "mint.ts"), "two();\n");
  const rejected = await mem("reject", String(first.id));
  expect(rejected).toMatchObject({ code: 0, stdout: `#${first.id} is rejected: ${first.title}\n` });
  expect((await mem("search", "pepper", "--type", "observations")).stdout).not.toContain("pepper.ts");
  expect(await client.injectedContext(["shop"])).not.toContain("pepper.ts");
  expect((await client.observations()).items).toHaveLength(2);
  expect((await mem("reject", `#${first.id}`, "--undo")).stdout).toContain("is active");
  expect((await mem("search", "pepper", "--type", "observations")).stdout).toContain("pepper.ts");
  const superseded = await mem("supersede", String(first.id), "--by", String(second.id), "--json");
  expect(JSON.parse(superseded.stdout)).toMatchObject({
    status: "superseded",
    superseded_by: second.id,
    revision: 4,
  });
  expect(await client.injectedContext(["shop"])).toMatch(new RegExp(`superseded by #${second.id}`));
  const circle = await mem("supersede", String(second.id), "--by", String(first.id));
  expect(circle.code).toBe(65);
  expect(circle.stderr).toContain(`mem supersede ${first.id} --undo`);
  expect((await mem("supersede", String(first.id), "--undo")).stdout).toContain("is active");
  expect((await mem("pin", String(first.id))).stdout).toContain("is pinned");
  expect(await client.injectedContext(["shop"])).toMatch(/^<.*>\n# .*\n.*\n\n## Pinned\n- .*pepper\.ts/);
  expect((await mem("pin", "--help")).stdout).toContain("Every session of its project starts with it.");
  for (const form of ["--undo", "--off"]) {
    expect((await mem("pin", String(first.id))).code).toBe(0);
    expect((await mem("pin", String(first.id), form)).stdout).toContain("is unpinned");
  }
});

test("an answer is broken between words at the width of the terminal", async () => {
  const { mem, edit } = await workingMem();
  const shop = join(tempDir(), "shop");
  mkdirSync(shop);
  const name = `${"pepper and salt ".repeat(5)}.ts`;
  const { id } = await edit(shop, join(shop, name), "one();\n");
  const lines = (await mem.on80Columns("reject", String(id))).stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test("an id that is not there and words that are none are refused with the next step", async () => {
  const { mem } = await workingMem();
  for (const words of [
    ["reject", "99"],
    ["pin", "99"],
    ["supersede", "99", "--by", "98"],
  ]) {
    const { code, stderr } = await mem(...words);
    expect(code).toBe(66);
    expect(stderr).toContain("No observation 99.");
    expect(stderr).toContain("mem search");
  }
  for (const words of [
    ["reject", "x"],
    ["reject"],
    ["supersede", "1"],
    ["supersede", "1", "--by", "2", "--undo"],
  ])
    expect((await mem(...words)).code).toBe(64);
  for (const command of ["pin", "reject"]) {
    const { code, stderr } = await mem(command, "S1");
    expect(code).toBe(64);
    expect(stderr).toContain("It is a summary: only observations can be");
  }
});

test("a file that was changed or is gone since is named where it is injected", async () => {
  const { mem, client, edit } = await workingMem();
  const shop = join(tempDir(), "shop");
  mkdirSync(shop);
  const file = join(shop, "pepper.ts");
  writeFileSync(file, "one();\n");
  await edit(shop, file, "one();\n");
  expect(await client.injectedContext(["shop"])).not.toContain("changed since");
  // What the file is like is kept behind the answer.
  const db = new Database(mem.home.database, { readonly: true });
  onTestFinished(() => void db.close());
  const kept = db.prepare("select 1 from observation_blobs").pluck();
  await until(async () => kept.get(), 10_000, "the blob id");
  writeFileSync(file, "another();\n");
  // On a busy machine the time for reading the file may be over first.
  const isNamed = async () => (await client.injectedContext(["shop"])).includes("changed since");
  await until(async () => (await isNamed()) || undefined, 20_000, "the change");
  const changes = async (): Promise<unknown> =>
    JSON.parse((await mem("file", file, "--json")).stdout).items[0].changed_since;
  await expect.poll(changes).toEqual([{ path: file, is: "changed" }]);
  rmSync(file);
  await expect.poll(changes).toEqual([{ path: file, is: "gone" }]);
});
