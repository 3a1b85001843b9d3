// `mem rules --export`: standing rules in a section of a file that agents read.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { exportRules, missedBy } from "../../src/cli/rules-export.ts";
import type { RulesAnswer } from "../../src/client/worker-client.ts";
import { hostAgents } from "../../src/hosts/registry.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem } from "./mem.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const rules = (...texts: string[]) => ({ rules: texts.map((text) => ({ text })) as RulesAnswer["rules"] });
const section = (before: string, ...texts: string[]) =>
  [
    `<!-- mem rules begins (${before}) -->`,
    "## Rules",
    "",
    ...texts.map((text) => `- ${text}`),
    "<!-- mem rules ends -->",
  ].join("\n");

describe("exportRules", () => {
  test("makes the file, keeps the rest of it, and twice is the same as once", () => {
    const file = join(folder, "AGENTS.md");
    expect(exportRules(file, rules("Use pnpm."))).toEqual({ file, rules: 1, changed: true });
    expect(readFileSync(file, "utf8")).toBe(`${section("own", "Use pnpm.")}\n`);
    expect(exportRules(file, rules("Use pnpm."))).toEqual({ file, rules: 1, changed: false });
    writeFileSync(file, "# Mine\r\nKeep this.\r\n");
    exportRules(file, rules("Use pnpm.", "Tests first."));
    exportRules(file, rules("Tests first."));
    const expected = `# Mine\r\nKeep this.\r\n${section("none", "Tests first.").replaceAll("\n", "\r\n")}\r\n`;
    expect(readFileSync(file, "utf8")).toBe(expected);
  });

  test("refuses what is no regular file, as a device, and links to it", () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync("pipe", join(folder, "link"));
    for (const name of ["pipe", "link"])
      expect(() => exportRules(join(folder, name), rules("Use pnpm."))).toThrow(/is not a regular file/);
    expect(readdirSync(folder).toSorted()).toEqual(["link", "pipe"]);
  });

  test("without rules removes the section, and a file that was ours alone", () => {
    const own = join(folder, "GEMINI.md");
    exportRules(own, rules("Use pnpm."));
    expect(exportRules(own, rules())).toMatchObject({ rules: 0, changed: true });
    const mixed = join(folder, "AGENTS.md");
    writeFileSync(mixed, "# Mine");
    exportRules(mixed, rules("Use pnpm."));
    exportRules(mixed, rules());
    expect(readFileSync(mixed, "utf8")).toBe("# Mine");
    expect(exportRules(join(folder, "CLAUDE.md"), rules())).toMatchObject({ changed: false });
    expect(readdirSync(folder)).toEqual(["AGENTS.md"]);
  });

  test("takes the name as the folder has it, and writes agents.md as hosts read it", () => {
    expect(exportRules(join(folder, "agents.md"), rules("Use pnpm.")).file).toBe(join(folder, "AGENTS.md"));
    writeFileSync(join(folder, "Claude.md"), "# Mine\n");
    expect(exportRules(join(folder, "claude.md"), rules("Use pnpm.")).file).toBe(join(folder, "Claude.md"));
    expect(exportRules(join(folder, "notes.md"), rules("Use pnpm.")).file).toBe(join(folder, "notes.md"));
  });

  test("keeps a link and the mode of the file", () => {
    const real = join(folder, "real.md");
    writeFileSync(real, "# Mine\n");
    chmodSync(real, 0o640);
    symlinkSync(real, join(folder, "AGENTS.md"));
    exportRules(join(folder, "AGENTS.md"), rules("Use pnpm."));
    expect(lstatSync(join(folder, "AGENTS.md")).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("- Use pnpm.");
    expect(lstatSync(real).mode & 0o777).toBe(0o640);
  });

  test.each<[string, string | Buffer, string]>([
    ["damaged marks", "<!-- mem rules begins (none) -->\n", "marks around our section are damaged"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00]), "not a text in UTF-8"],
  ])("refuses a file with %s and leaves it", (_what, content, message) => {
    const file = join(folder, "AGENTS.md");
    writeFileSync(file, content);
    expect(() => exportRules(file, rules("Use pnpm."))).toThrow(message);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  test("a rule with a line break or control characters stays one line", () => {
    exportRules(join(folder, "AGENTS.md"), rules("Use pnpm.\n<!-- mem rules ends -->\u001b[2J"));
    const text = readFileSync(join(folder, "AGENTS.md"), "utf8");
    expect(text.match(/^- .*$/gm)).toHaveLength(1);
    expect(() => exportRules(join(folder, "AGENTS.md"), rules("Use pnpm."))).not.toThrow();
  });
});

describe("missedBy", () => {
  const missed = (name: string) => missedBy(join(folder, name), hostAgents);
  const sentence = "Claude Code does not read AGENTS.md. Add the line `@AGENTS.md` to CLAUDE.md beside it.";
  beforeEach(() => writeFileSync(join(folder, "AGENTS.md"), "# Mine\n"));

  test("names the import that Claude Code needs, until it is there", () => {
    expect(missed("AGENTS.md")).toBe(sentence);
    writeFileSync(join(folder, "CLAUDE.md"), "Mail me@AGENTS.md\n");
    expect(missed("AGENTS.md")).toBe(sentence);
    writeFileSync(join(folder, "CLAUDE.md"), "# Mine\nSee @./AGENTS.md.\n");
    expect(missed("AGENTS.md")).toBeNull();
  });

  test("a link to the file, or an import from the folder .claude, is as good", () => {
    symlinkSync("AGENTS.md", join(folder, "CLAUDE.md"));
    expect(missed("AGENTS.md")).toBeNull();
    rmSync(join(folder, "CLAUDE.md"));
    mkdirSync(join(folder, ".claude"));
    writeFileSync(join(folder, ".claude", "CLAUDE.md"), "@../AGENTS.md");
    expect(missed("AGENTS.md")).toBeNull();
  });

  test("is silent about a file that Claude Code reads, or that no host reads", () => {
    expect([missed("CLAUDE.md"), missed("notes.md"), missedBy(join(folder, "AGENTS.md"), [])]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

test("an exported rule is in the file, and a new session is not told again", async () => {
  const mem = calledMem();
  await mem("remember", "Never npm.", "--project", "shop");
  const file = join(folder, "agents.md");
  const done = await mem("rules", "--project", "shop", "--export", file);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote 1 rule in ") });
  expect(readFileSync(join(folder, "AGENTS.md"), "utf8")).toContain("- Never npm.");
  const asJson = await mem("rules", "--project", "shop", "--export", file, "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ rules: 1, changed: false });
  expect(await mem("rules", "--all", "--export", file)).toMatchObject({ code: 64 });
  await mem("worker", "stop");
});
