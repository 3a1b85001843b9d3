// How long a hook waits.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { claudeCodeIntegration } from "../../../src/hosts/claude-code.ts";
import { deadlineMs, hungBelievedMs, hungStartMs } from "../../../src/hosts/hook/deadlines.ts";
import { kebabCase } from "../../../src/text/kebab-case.ts";

const script = readFileSync(new URL("../../../hooks/mem-hook.sh", import.meta.url), "utf8");
const lines = [...script.matchAll(/^([a-z| *-]+)\) deadline=([\d.]+) ;;$/gm)];
const inShell = new Map(
  lines.flatMap(([, events = "", seconds]) =>
    events.split("|").map((event) => [event.trim(), Number(seconds) * 1_000]),
  ),
);

test("the shell launcher waits as long as the Node hook", () => {
  expect(inShell.size).toBe(9);
  for (const [event, ms] of inShell) expect([event, ms]).toEqual([event, deadlineMs(event)]);
});

test("both wait as long for a worker that kept another hook waiting", () => {
  expect(Number(/\$deadline = ([\d.]+) if \$hung/.exec(script)?.[1]) * 1_000).toBe(hungStartMs);
  expect(Number(/\$age < (\d+) && \$event/.exec(script)?.[1]) * 1_000).toBe(hungBelievedMs);
});

test("MEM_HOOK_TIMEOUT_MS makes every wait longer but that at the end of a session", () => {
  const least = (text: string) => (event: string) => deadlineMs(event, { MEM_HOOK_TIMEOUT_MS: text });
  expect(["session-start", "post-tool-use", "SessionEnd"].map(least("2000"))).toEqual([3_000, 2_000, 800]);
  for (const text of ["", "-1", "2s", "999999", "1e9"]) expect(least(text)("post-tool-use")).toBe(1_000);
});

test("a name as the host writes it has the same deadline", () => {
  for (const { event } of claudeCodeIntegration.hooks)
    expect(deadlineMs(event)).toBe(deadlineMs(kebabCase(event)));
});

test("every deadline is far below the host's, which would show the user an error", () => {
  for (const { event, timeout } of claudeCodeIntegration.hooks) {
    expect(deadlineMs(event) * 3).toBeLessThanOrEqual(timeout * 1_000);
  }
  expect(deadlineMs("session-end")).toBeLessThan(1_000);
});
