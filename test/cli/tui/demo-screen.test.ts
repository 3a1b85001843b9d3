import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openDemoScreen } from "../../../src/cli/tui/demo-screen.tsx";
import type { DemoEvent } from "../../../src/core/records/demo-events.ts";
import { displayWidth } from "../../../src/text/terminal-text.ts";

const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2Jbell\u202e";
const events: DemoEvent[] = [
  { kind: "worker", url: "http://127.0.0.1:1", tookMs: 12 },
  { kind: "hook", name: "PostToolUse", about: `Edit session.ts ${evil}`, tookMs: 7, done: 1, total: 2 },
  { kind: "observation", obs_type: "bugfix", title: `Edited ${"a-long-path/".repeat(20)} ${evil}` },
  { kind: "summary", title: "Users are logged out" },
  { kind: "question", command: "mem search why?", lines: ["#3  of a secret"] },
  { kind: "injected", moment: "The next session starts with", text: `Rule: never npm ${evil}` },
  { kind: "injected", moment: "With a prompt", text: `  - ${"word ".repeat(15)}below the text` },
  { kind: "privacy", lookedFor: 2, found: 0 },
  { kind: "end", tookMs: 7100 },
];

async function drawn(color: boolean): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  let written = "";
  stdout.on("data", (chunk) => (written += String(chunk)));
  const screen = openDemoScreen({ color, columns: 80, stdout: stdout as unknown as NodeJS.WriteStream });
  for (const event of events) screen.show(event);
  await screen.close();
  return written;
}

test("the screen shows every event, in lines that fit the terminal", async () => {
  const lines = stripVTControlCharacters(await drawn(false)).split("\n");
  const text = lines.join("\n");
  for (const word of [
    "127.0.0.1:1",
    "PostToolUse",
    "7 ms",
    "+ bugfix",
    "why?",
    "of a secret",
    "never npm",
    "word\n    below the text",
    "0 of 2",
    "7.1 s",
  ]) {
    expect(text).toContain(word);
  }
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test("what is stored cannot write to the terminal of the demo", async () => {
  const written = await drawn(true);
  for (const sequence of ["\x1b]52", "\x07", "\u202e", "\x1b[2Jbell"])
    expect(written).not.toContain(sequence);
});
