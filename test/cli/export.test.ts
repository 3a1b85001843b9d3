import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem, type Mem, memAtHome, servedMem } from "./mem.ts";

let mem: Mem;
let file: string;

beforeEach(() => {
  mem = servedMem();
  file = join(tempDir(), "memory.jsonl");
});

const rule = async (text: string) => expect((await mem("remember", text, "--project", "shop")).code).toBe(0);

async function wipe(): Promise<void> {
  await mem("worker", "stop");
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(mem.home.dataDir, `mem.db${suffix}`), { force: true });
}

describe("mem export", () => {
  test("after a wipe and an import the next export is the same file", async () => {
    mem = calledMem();
    await rule("Use pnpm, never npm.");
    await rule("Never push on Fridays.");
    expect(await mem("export", "--out", file)).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await wipe();
    expect((await mem("import", "jsonl", file)).stdout).toBe("Added: 1 project, 2 observations.\n");
    expect((await mem("rules", "--project", "shop")).stdout).toContain("Use pnpm, never npm.");
    const { stderr } = await mem("export", "--out", file.replace("memory", "again"));
    expect(stderr).toContain("Exported 1 project, 2 observations to ");
    expect(readFileSync(file.replace("memory", "again"), "utf8")).toBe(readFileSync(file, "utf8"));
  });

  test("goes to standard output, with the worker stopped", async () => {
    mem = calledMem();
    await rule("Use pnpm, never npm.");
    await mem("worker", "stop");
    const piped = memAtHome({ MEM_DATA_DIR: mem.home.dataDir });
    const { stdout, stderr, code } = await piped("export", "--project", "shop");
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual([undefined, "project", "observation", "end"]);
    expect(lines[0]).toMatchObject({ format: "mem-export", version: 1, project: "shop", records: 2 });
    expect(stderr).toBe("Exported 1 project, 1 observation.\n");
  });

  test("prints counts as JSON beside a file, and does not replace one unasked", async () => {
    await rule("Use pnpm, never npm.");
    const { stdout } = await mem("export", "--out", file, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ file, counts: { observation: 1, session: 0 }, waiting: 0 });
    expect(await mem("export", file)).toMatchObject({ code: 65 });
    expect(await mem("export", file, "--force")).toMatchObject({ code: 0 });
    expect(await mem("export", file, "--out", `${file}2`)).toMatchObject({ code: 64 });
    expect(await mem("export", "--json")).toMatchObject({ code: 64 });
  });

  test("says that there is no memory, or no such project", async () => {
    mem = calledMem();
    expect(await mem("export")).toMatchObject({ code: 66, stdout: "" });
    await rule("Use pnpm, never npm.");
    expect((await mem("export", "--project", "none")).stderr).toContain("No project named `none`");
  });
});

describe("mem import jsonl", () => {
  const header = '{"format":"mem-export","version":1,"product":"1","records":3}';
  const project = '{"type":"project","label":"shop","folder":null,"identities":[],"aliases":[]}';

  test("names lines that are not valid, and imports the others", async () => {
    writeFileSync(file, [header, "{", project, '{"type":"poem"}', '{"type":"end","records":3}'].join("\n"));
    const { code, stdout, stderr } = await mem("import", "jsonl", file);
    expect({ code, stdout }).toEqual({ code: 65, stdout: "Added: 1 project.\n2 lines refused.\n" });
    expect(stderr).toContain("Line 2: It is not valid JSON.\nLine 4: It has no known `type`");
    const { stdout: json } = await mem("import", "jsonl", file, "--json");
    expect(JSON.parse(json)).toMatchObject({
      added: { project: 0 },
      present: 1,
      refused: [{ line: 2 }, { line: 4 }],
    });
  });

  test.each([
    ["is no export", ['{"a":1}', project], "not the header of a `mem export`"],
    ["is of a later version", [header.replace('"version":1', '"version":2'), project], "format version 2"],
    ["ends early", [header, project], "it has 1 of 3 records"],
    ["ends early after a bad line", [header, "{", project], "1 of 3 records. Line 2: It is not valid JSON."],
    ["is empty", [], "not the header of a `mem export`"],
  ])("refuses a file that %s", async (_what, lines, message) => {
    writeFileSync(file, lines.join("\n"));
    const { code, stderr } = await mem("import", "jsonl", file);
    expect(code).toBe(65);
    expect(stderr).toContain(message);
  });

  test("an incomplete file names its bad lines as JSON too", async () => {
    writeFileSync(file, [header, "{", project].join("\n"));
    const { stderr } = await mem("import", "jsonl", file, "--json");
    expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "export_invalid",
      details: { refused: [{ line: 2, fault: "It is not valid JSON." }] },
    });
  });

  test("a preview counts and stores nothing", async () => {
    mem = calledMem();
    writeFileSync(file, [header, project, '{"type":"end","records":1}'].join("\n"));
    expect((await mem("import", "jsonl", file, "--print")).stdout).toBe("In the file: 1 project.\n");
    expect(await mem("export")).toMatchObject({ code: 66 });
  });

  test("cleans texts that a file was given by hand", async () => {
    await rule("Use pnpm, never npm.");
    await mem("export", "--out", file);
    const planted = readFileSync(file, "utf8")
      .replace(
        "Use pnpm, never npm.",
        "Use <private>canary-1</private> pnpm, ghp_0123456789abcdefghijABCDEFGHIJ012345",
      )
      .replace('"remembered:#1@', '"remembered:#7@');
    writeFileSync(file, planted);
    expect((await mem("import", "jsonl", file)).code).toBe(0);
    const { stdout } = await mem("rules", "--project", "shop", "--json");
    expect(stdout).not.toMatch(/canary-1|ghp_0123/);
    expect(JSON.parse(stdout).items).toHaveLength(2);
  });
});
