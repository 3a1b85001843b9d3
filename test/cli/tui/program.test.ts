// The interactive program on a pseudo-terminal: keys in, screen out.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkerClient } from "../../../src/client/worker-client.ts";
import { displayWidth } from "../../../src/text/terminal-text.ts";
import { until } from "../../helpers/worker-process.ts";
import { sharedMem } from "../mem.ts";
import { openTerminal, type PseudoTerminal } from "./pseudo-terminal.ts";

const mem = sharedMem();
const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J";
const rules = [
  "Never log a session token",
  "Cache keys carry the tenant",
  `Wide 漢字 and 👍🏽 stay in line ${evil}`,
];

beforeAll(async () => {
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  for (const text of rules) await client.remember({ text, project: "shop", reach: "project" });
  const session = { claudeSessionId: "s1", cwd: mem.home.env.HOME ?? "" };
  await client.postSession("init", { ...session, project: "shop", prompt: "Repair the login redirect" });
  await client.postSession("observations", {
    ...session,
    tool_name: "Write",
    tool_input: { file_path: "/home/user/shop/src/login.ts", content: "export {}" },
    tool_response: { type: "create" },
    tool_use_id: "use-1",
  });
  await until(
    async () => (await client.observations()).items.length > rules.length || undefined,
    20_000,
    "observations",
  );
  await client.close();
});

/** What a terminal needs back: the normal screen, the cursor, wrapping, and no marks around pasted text. */
function expectRestored(terminal: PseudoTerminal): void {
  expect(terminal.isAlternate()).toBe(false);
  const written = terminal.written();
  for (const [on, off] of [
    ["\x1b[?1049h", "\x1b[?1049l"],
    ["\x1b[?25l", "\x1b[?25h"],
    ["\x1b[?7l", "\x1b[?7h"],
    ["\x1b[?2004h", "\x1b[?2004l"],
  ] as const)
    expect(written.lastIndexOf(off), off.slice(1)).toBeGreaterThan(written.lastIndexOf(on));
}

describe.each([
  [80, 24],
  [200, 50],
])("at %dx%d", (columns, rows) => {
  test("search as you type shows hits and the preview of the selected one", async () => {
    const terminal = openTerminal(mem.home, [], { columns, rows });
    await terminal.shows("● live");
    await terminal.shows("Enter to the list");
    terminal.type("token");
    const screen = await terminal.shows(/Never log a session token[\s\S]*Said by/);
    expect(screen).toContain(" / token");
    expect(screen).not.toContain("Cache keys");
    expect(terminal.screen()).toHaveLength(rows);
    for (const line of terminal.screen()) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    terminal.type("\r");
    await terminal.hides("Enter to the list");
    terminal.type("q");
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    expectRestored(terminal);
  });
});

test("a resize draws the screen again, and a terminal that is too small says so", async () => {
  const terminal = openTerminal(mem.home, []);
  await terminal.shows("Never log");
  terminal.resize(140, 40);
  await terminal.shows(" │ ");
  terminal.resize(30, 8);
  expect(await terminal.shows("Too small")).toContain("40x10");
  terminal.resize(40, 10);
  await terminal.shows("[Search]  1 of 6");
  terminal.resize(80, 24);
  expect(await terminal.shows("Never log")).not.toContain("Too small");
  await terminal.shows("Ctrl-C quit");
  terminal.type("\x1b");
  await terminal.shows("q quit");
  expect(terminal.screen()[23]).toContain("q quit");
  terminal.resize(200, 50);
  await terminal.shows(" │ ");
  terminal.resize(40, 12);
  await terminal.shows("[Search]  1 of 6");
  expect(terminal.screen()[11]).toContain("q quit");
});

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s restores the terminal", async (signal) => {
  const terminal = openTerminal(mem.home, []);
  await terminal.shows("● live");
  process.kill(terminal.pid, signal);
  const { signal: by } = await terminal.exit;
  expect(by).toBeGreaterThan(0);
  expectRestored(terminal);
});

test("Ctrl-C quits and restores the terminal", async () => {
  const terminal = openTerminal(mem.home, []);
  await terminal.shows("● live");
  terminal.type("\x03");
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
  expectRestored(terminal);
});

test("records cannot write to the terminal, and with NO_COLOR no color is written", async () => {
  const terminal = openTerminal(mem.home, [], { env: { NO_COLOR: "1" } });
  await terminal.shows("stay in line");
  for (const sequence of ["\x1b]52", "\x07", "ZXZpbA"]) expect(terminal.written()).not.toContain(sequence);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for escape sequences
  expect(terminal.written()).not.toMatch(/\x1b\[[1-9][0-9;]*m/);
});

test("pin, delete and undo change the memory, and the status line says so", async () => {
  const terminal = openTerminal(mem.home, []);
  await terminal.shows("● live");
  terminal.type("/tenant");
  await terminal.shows(/ tenant +1\/1$/m);
  terminal.type("\rp");
  await terminal.shows(/pinned: it comes first in the context\. {2}u: undo/);
  await terminal.shows(/Cache keys carry the tenant.*pinned/);
  terminal.type("x");
  await terminal.shows("The trash keeps it for 30 days. y/n");
  terminal.type("y");
  await terminal.shows(/Observation \d+ deleted\. {2}u: undo/);
  await terminal.shows("Nothing found.");
  terminal.type("u");
  await terminal.shows(/Observation \d+ restored\./);
  await terminal.shows(/> .*Cache keys/);
});

test("an edit opens $EDITOR on the normal screen and comes back with the new text", async () => {
  const editor = join(mem.home.env.TMPDIR ?? "", "editor.sh");
  writeFileSync(editor, '#!/bin/sh\necho "in the editor"; sed -i "s/token/cookie/" "$1"\n', { mode: 0o700 });
  const terminal = openTerminal(mem.home, [], { env: { EDITOR: editor } });
  await terminal.shows("● live");
  terminal.type("/session token");
  await terminal.shows(/ session token +1\/1$/m);
  terminal.type("\re");
  await terminal.shows(/Edited #\d+: Never log a session cookie {2}u: undo/);
  expect(terminal.isAlternate()).toBe(true);
  const written = terminal.written();
  expect(written.lastIndexOf("in the editor")).toBeGreaterThan(written.indexOf("\x1b[?1049l"));
  terminal.type("u");
  await terminal.shows("restored");
  terminal.type("q");
  await terminal.exit;
  expectRestored(terminal);
});

test("a fault of the program restores the terminal, and says what it was", async () => {
  const crash = join(mem.home.env.TMPDIR ?? "", "crash.cjs");
  writeFileSync(crash, 'process.on("SIGUSR2", () => { throw new Error("a fault of the test"); });');
  const terminal = openTerminal(mem.home, [], { env: { NODE_OPTIONS: `--require ${crash}` } });
  await terminal.shows("● live");
  process.kill(terminal.pid, "SIGUSR2");
  const { exitCode } = await terminal.exit;
  expect(exitCode).toBeGreaterThan(0);
  await terminal.shows("a fault of the test");
  expectRestored(terminal);
});

test("Ctrl-Z gives the terminal back to the shell, and fg shows the screen again", async () => {
  const script = '"$@"; echo "the shell has it"; fg; echo "done"';
  const terminal = openTerminal(mem.home, [], { script });
  await terminal.shows("● live");
  terminal.type("tenant");
  await terminal.shows(/ tenant +1\/1$/m);
  terminal.type("\x1a");
  await terminal.shows(/ tenant +1\/1$/m);
  await until(() => terminal.written().includes("the shell has it") || undefined, 20_000, "the shell");
  // The emulator reads behind what is written, so it may still show the screen from before.
  const screens = () => terminal.written().split("\x1b[?1049h").length - 1;
  await until(() => screens() > 1 || undefined, 20_000, "the screen");
  await until(() => terminal.isAlternate() || undefined, 20_000, "the screen in the terminal");
  expect(screens()).toBe(2);
  terminal.type("\x03");
  await terminal.shows("done");
  expectRestored(terminal);
});

test("with TERM=dumb, mem prints its help", async () => {
  const terminal = openTerminal(mem.home, [], { env: { TERM: "dumb" } });
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
  await terminal.shows("Examples:");
  expect(terminal.written()).not.toContain("\x1b[");
});

test("the feed shows new records, and a worker that is restarted is found again", async () => {
  const terminal = openTerminal(mem.home, ["watch"]);
  await terminal.shows("● live");
  await mem("remember", "--project", "shop", "Pull before every push");
  await terminal.shows("Pull before every push");
  await mem("worker", "stop");
  await terminal.shows("no worker");
  await mem("worker", "start");
  await terminal.shows("● live");
  await mem("remember", "--project", "shop", "Squash small commits");
  await terminal.shows("Squash small commits");
  terminal.type("q");
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
});

test("without a terminal at both ends, and in CI, mem prints its help", async () => {
  const terminal = openTerminal(mem.home, [], { env: { CI: "true" } });
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
  await terminal.shows("Examples:");
  expect(terminal.written()).not.toContain("\x1b[?1049h");
});
