// `mem forget` against a real worker.
import { expect, test } from "vitest";
import { fillMemory } from "./mcp/fill.ts";
import { servedMem } from "./mem.ts";

test("asks first, deletes with undo or for good, and lists receipts", async () => {
  const mem = servedMem();
  await fillMemory(mem);
  expect(await mem("forget")).toMatchObject({ code: 64, stderr: expect.stringContaining("--query") });
  expect(await mem("forget", "1", "--project", "app")).toMatchObject({ code: 64 });
  expect((await mem("forget", "--project", "none", "--yes")).code).toBe(66);
  expect((await mem("forget", "9999", "--yes")).stderr).toContain("There is no record 9999.");
  const dry = await mem("forget", "1", "2", "--dry-run");
  expect(dry.stdout).toMatch(/^Would delete 2 observations\.\n {2}/);
  const asked = await mem("forget", "1", "2");
  expect([asked.code, asked.stderr]).toEqual([64, expect.stringContaining("Add --yes")]);
  expect((await mem("trash", "receipts")).stderr).toContain("Nothing was deleted");
  const done = await mem("forget", "1", "--yes");
  expect(done.stdout).toContain("Deleted 1 observation.\n");
  expect(done.stderr).toMatch(/Undo until .*: `mem trash restore 1`/);
  expect((await mem("trash")).stdout).toMatch(/forget +1 observation/);
  expect((await mem("trash", "restore", "1")).stdout).toBe("Restored 1 observation.\n");
  const gone = await mem("forget", "1", "--now", "--yes");
  expect(gone.stdout).toContain("Deleted 1 observation for good.\n");
  expect(gone.stdout).toMatch(/Searched \d+ files of the data directory: none of the words left/);
  expect(gone.stderr).toBe(
    "Not reached: exports and backups that you wrote elsewhere, and other devices until they sync.\n",
  );
  const receipts = await mem("trash", "receipts");
  expect(receipts.stdout).toMatch(/2 +\d{4}-\d\d-\d\d +ids +1 observation +erased \d{4}/);
  const { items } = JSON.parse((await mem("trash", "receipts", "--json")).stdout);
  expect(items).toMatchObject([{ trash_id: null, counts: { observations: 1 }, found: 0 }]);
  await mem("forget", "2", "--yes");
  const [, trashId = ""] = /trash (\d+)$/m.exec((await mem("trash", "receipts")).stdout) ?? [];
  expect((await mem("trash", "restore", trashId)).stdout).toBe("Restored 1 observation.\n");
});

test("words alone mean all projects: the plan and the question name them", async () => {
  const mem = servedMem();
  for (const project of ["shop", "attic"])
    await mem("remember", "Never feed the walrus.", "--project", project);
  await mem("remember", "Feed the walrus on Sundays.", "--project", "shop");
  const { stdout } = await mem("forget", "--query", "walrus", "--dry-run");
  expect(stdout).toContain("\nOf all projects: shop (2 records), attic (1 record).\n");
  expect(stdout).toContain("\n  shop: Never feed the walrus");
  expect(stdout).toContain("\n  attic: Never feed the walrus");
  const asked = await mem("forget", "--query", "walrus");
  expect(asked.stderr.replace(/\s+/g, " ")).toContain("Of all projects: shop (2 records), attic (1 record).");
  const one = await mem("forget", "--query", "walrus", "--project", "attic", "--dry-run");
  expect(one.stdout).not.toContain("projects");
});

test("words that only the trash has are deleted with --now", async () => {
  const mem = servedMem();
  await mem("remember", "Never feed the walrus.", "--project", "shop");
  await mem("forget", "1", "--yes");
  expect((await mem("forget", "--query", "walrus", "--dry-run")).stdout).toBe(
    "Nothing to delete.\nIn the trash: 1 entry. Add --now to delete that for good too.\n",
  );
  const words = ["forget", "--query", "walrus", "--now"];
  expect((await mem(...words, "--dry-run")).stdout).toContain("Would delete 1 entry of the trash.\n");
  expect((await mem(...words, "--yes")).stdout).toContain("Deleted 1 entry of the trash");
  expect(JSON.parse((await mem("trash", "--json")).stdout).items).toEqual([]);
});
