import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fillMemory } from "./mcp/fill.ts";
import { type Mem, memAtHome, servedMem } from "./mem.ts";

/** A `mem` with a running worker and a private directory for temporary files. */
async function startedMem(
  env: NodeJS.ProcessEnv = {},
  newMem: typeof memAtHome = servedMem,
): Promise<Mem & { temporary: string }> {
  const temporary = tempDir();
  const mem = newMem({ TMPDIR: temporary, VISUAL: "", EDITOR: "", ...env });
  await mem("worker", "start");
  return Object.assign(mem, { temporary });
}

/** An editor that runs the script with the file as `$1`. */
function editor(script: string): string {
  const path = join(tempDir(), "editor.sh");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("a rule is remembered once and listed, and opens no session", async () => {
  const mem = await startedMem();
  const added = await mem("remember", "Never", "npm.", "--project", "shop");
  expect(added).toMatchObject({ code: 0, stdout: "Rule #1 applies in shop: Never npm.\n" });
  expect((await mem("remember", "never npm", "--project", "shop")).stdout).toBe(
    "Already a rule (#1). Nothing was stored.\n",
  );
  expect((await mem("remember", "Short answers.", "--everywhere")).stdout).toContain("applies everywhere");
  expect((await mem("remember", "<private>My cat</private>")).stdout).toContain("whole text is private");
  const shown = await mem("rules", "--project", "shop");
  expect(shown.stdout).toMatch(
    /^everywhere\n {2}#2 {2}\d{4}-\d\d-\d\d {2}Short answers\. \(remembered\)\nproject shop\n {2}#1 .*Never npm\. \(remembered\)\n$/,
  );
  const asJson = JSON.parse((await mem("rules", "--all", "--json")).stdout);
  expect(asJson).toMatchObject({ project: null, items: [{ id: 2 }, { id: 1 }], contradictions: [] });
  expect((await mem("status")).stdout).toContain("2 observations, 0 summaries, 0 prompts, 0 sessions");
});

test("a rule is removed and restored", async () => {
  const mem = await startedMem();
  await mem("remember", "Never npm.", "--project", "shop");
  expect((await mem("rules", "remove", "#1")).stdout).toContain("Undo: `mem rules restore 1`");
  expect((await mem("rules", "--project", "shop")).stdout).not.toContain("Never npm");
  expect((await mem("rules", "restore", "1")).stdout).toBe("Restored rule #1.\n");
  expect((await mem("rules", "--project", "shop")).stdout).toContain("Never npm");
  expect(await mem("rules", "remove", "99")).toMatchObject({ code: 66 });
});

test("status counts the proposals that wait, and says nothing without", async () => {
  const mem = await startedMem();
  expect((await mem("status")).stderr).not.toContain("proposal");
  const worker = createWorkerClient({ dataDir: mem.home.dataDir });
  for (const text of ["Prefer short answers.", "Never npm."])
    await worker.keep({ kind: "rule", text, project: "shop" });
  expect((await mem("status")).stderr).toContain("2 proposals wait: `mem rules --all`.\n");
  await worker.acceptRule(1);
  expect((await mem("status")).stderr).toContain("1 proposal waits: `mem rules --all`.\n");
  await worker.close();
});

test("lists the rules of the project here, and how to settle a contradiction", async () => {
  const mem = await startedMem();
  expect((await mem("rules")).stderr).toContain("mem remember");
  await mem("remember", "Indent with tabs");
  await mem("remember", "Indent with spaces");
  const { stdout } = await mem("rules");
  expect(stdout).toContain("These two rules contradict each other:");
  expect(stdout).toContain("Keep #2: `mem supersede 1 --by 2`. Keep #1: `mem supersede 2 --by 1`.");
  expect((await mem("remember", "From now on indent with tabs, not spaces")).stdout).toContain(
    "It replaces #2. Undo: `mem supersede 2 --undo`.",
  );
});

test("rules are changed, added and removed in an editor", async () => {
  const script = editor('sed -i -e "s/Never npm/Never yarn/" -e "/^2:/d" "$1"; echo "Use pnpm." >> "$1"');
  const mem = await startedMem({ EDITOR: script });
  await mem("remember", "Never npm.", "--project", "shop");
  await mem("remember", "Use tabs.", "--project", "shop");
  const edited = await mem("rules", "--project", "shop", "--edit", "--json");
  expect(JSON.parse(edited.stdout)).toEqual({ changed: [1], added: [3], removed: [2], private: 0 });
  const { stdout } = await mem("rules", "--project", "shop");
  expect(stdout).toContain("Never yarn.");
  expect(stdout).toContain("Use pnpm.");
  expect(stdout).not.toContain("Use tabs.");
  expect((await mem("rules", "restore", "2")).code).toBe(0);
});

test.each([
  ["/no/such/editor", 64, "cannot be started"],
  ["", 64, "No editor is set."],
])("an editor %j is refused with the next command", async (command, code, problem) => {
  const mem = await startedMem({ EDITOR: command });
  for (const words of [
    ["rules", "--edit"],
    ["edit", "1"],
  ]) {
    await mem("remember", "Never npm.");
    const run = await mem(...words);
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toContain(problem);
    expect(run.stderr).toContain(`EDITOR=nano mem ${words.join(" ")}`);
  }
});

test("a file that cannot be applied changes nothing, is kept, and is continued", async () => {
  const mem = await startedMem({
    EDITOR: editor('grep -q nonsense "$1" && sed -i /nonsense/d "$1" || echo "99: nonsense" >> "$1"'),
  });
  await mem("remember", "Never npm.");
  const failed = await mem("rules", "--edit");
  expect(failed.code).toBe(64);
  expect(failed.stderr).toContain("No rule 99.");
  const kept = /--from (\S+)`/.exec(failed.stderr)?.[1] ?? "";
  expect(readFileSync(kept, "utf8")).toContain("nonsense");
  expect((await mem("rules", "--edit", "--from", kept)).stdout).toBe("Nothing changed.\n");
  expect((await mem("rules")).stdout).toContain("Never npm.");
});

test("an editor that fails loses nothing that was typed", async () => {
  const mem = await startedMem({ EDITOR: editor('echo typed >> "$1"; exit 3') }, memAtHome);
  await mem("remember", "Never npm.");
  const run = await mem("rules", "--edit");
  expect(run.code).toBe(130);
  const kept = /--from (\S+)`/.exec(run.stderr)?.[1] ?? "";
  expect(existsSync(kept)).toBe(true);
  expect(kept.startsWith(mem.temporary)).toBe(true);
});

test("edits an observation in an editor or with options, cleaned and searchable", async () => {
  const mem = await startedMem({ EDITOR: editor('sed -i "s/npm/yarn/" "$1"') });
  mkdirSync(join(mem.temporary, "shop"));
  await mem("remember", "Never npm.");
  expect((await mem("edit", "1")).stdout).toBe("Edited #1: Never yarn.\n");
  const text = "Never bun. <private>My cat</private> AKIAIOSFODNN7EXAMPLE";
  const edited = JSON.parse((await mem("edit", "#1", "--text", text, "--json")).stdout);
  expect(edited).toMatchObject({ title: "Never bun. [redacted:aws-key]", revision: 3 });
  expect((await mem("search", "bun")).stdout).toContain("#1");
  const lost = await mem("edit", "1", "--text", "<private>x</private>");
  expect(lost).toMatchObject({ code: 64, stdout: "" });
  expect(lost.stderr).toContain("Nothing was changed.");
  for (const option of ["--text", "--title"]) {
    const empty = await mem("edit", "1", option, " ");
    expect(empty).toMatchObject({ code: 64, stdout: "" });
    expect(empty.stderr).toContain(`The new ${option.slice(2)} is empty. Nothing was changed.`);
  }
  expect((await mem("edit", "9")).code).toBe(66);
  expect((await mem("edit", "S1")).stderr).toContain("It is a summary");
});

test("an edit that changes nothing says so", async () => {
  const mem = await startedMem({ EDITOR: "/bin/true" });
  await mem("remember", "Never npm.");
  const nothing = { code: 0, stdout: "Nothing changed.\n" };
  expect(await mem("edit", "1")).toMatchObject(nothing);
  expect(await mem("edit", "1", "--text", "Never npm.")).toMatchObject(nothing);
  expect(await mem("rules", "--edit")).toMatchObject(nothing);
  expect(JSON.parse((await mem("edit", "1", "--json")).stdout)).toMatchObject({ id: 1, revision: 1 });
});

test("calls that people guess work, or name the right one", async () => {
  const mem = await startedMem();
  await fillMemory(mem);
  await mem("remember", "Never npm.", "--project", "new");
  expect(await mem("rules", "list", "--project", "new")).toEqual(await mem("rules", "--project", "new"));
  for (const [words, code, next] of [
    [["rules", "add", "Use pnpm."], 64, "mem remember"],
    [["rules", "edit"], 64, "mem rules --edit"],
    [["rules", "shop"], 64, "mem rules --help"],
    [["remember", " "], 64, "mem remember"],
    [["rules", "--project", "nosuch"], 66, "mem project list"],
    [["rules", "--project", "nosuch", "--edit"], 66, "Known: "],
  ] as const) {
    const run = await mem(...words);
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toContain(next);
  }
});
