import { expect, test } from "vitest";
import { createIo } from "../../src/cli/io.ts";
import { type Halt, renderQueue } from "../../src/cli/queue-lines.ts";
import type { QueuePage } from "../../src/client/worker-client.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";

const now = 1_760_000_000_000;

const row: QueuePage["items"][number] = {
  id: 4711,
  status: "dead",
  session: "9f3c2a1b-0000-4000-8000-000000000000",
  project: "shop",
  kind: "observation",
  tool_name: "Bash",
  attempts: 5,
  failures: 5,
  last_error: null,
  next_try_at_epoch: null,
  created_at_epoch: now - 60_000,
  ageMs: 60_000,
};

function linesOf(rows: QueuePage["items"], halt: Halt | null = null): string[] {
  const lines: string[] = [];
  const io = createIo({ color: false, errColor: false });
  renderQueue({ ...io, columns: 80, out: (line) => void lines.push(line) }, rows, { nowEpochMs: now, halt });
  return lines;
}

test("every message has a line that says what it is and how it stands", () => {
  const lines = linesOf([
    row,
    { ...row, id: 4712, status: "processing", kind: "summarize", tool_name: null },
    { ...row, id: 4713, status: "pending", attempts: 2, next_try_at_epoch: now + 240_000 },
    { ...row, id: 4714, status: "pending", attempts: 0, next_try_at_epoch: now - 1 },
  ]);
  expect(lines).toEqual([
    "ID    State           Age    Tries  Session    Project  What",
    "4711  failed          1 min  5      9f3c2a1b…  shop     Bash",
    "4712  running         1 min  5      9f3c2a1b…  shop     summary",
    "4713  retry in 4 min  1 min  2      9f3c2a1b…  shop     Bash",
    "4714  waiting         1 min  0      9f3c2a1b…  shop     Bash",
  ]);
});

test("a message that waits for a paused provider is paused, whatever its next try", () => {
  const waiting = { ...row, status: "pending" as const };
  const rows = [null, now + 60_000, now + 600_000].map((next_try_at_epoch) => ({
    ...waiting,
    next_try_at_epoch,
  }));
  const halt = { what: "primary is paused", next: null };
  const states = linesOf([...rows, row], halt).map((line) => line.slice(6, 14).trim());
  expect(states).toEqual(["State", "paused", "paused", "paused", "failed"]);
});

test.each([
  [
    "long names",
    { project: "a-monorepo/with/a/long/path/in/it", tool_name: "mcp__server__a_long_tool_name" },
  ],
  ["wide letters", { project: "記憶".repeat(20), tool_name: "ツール".repeat(20) }],
  ["a long reason", { last_error: "The vendor refused this request. ".repeat(40) }],
  ["a reason without a space", { last_error: "x".repeat(500) }],
])("%s stay within the terminal", (_what, change) => {
  const lines = linesOf([{ ...row, ...change }]);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect(lines.length).toBeLessThanOrEqual(5);
});

test("a reason cannot move the cursor", () => {
  expect(linesOf([{ ...row, last_error: "gone\u001b[2J\nagain" }]).at(-1)).toBe("  gone again");
});
