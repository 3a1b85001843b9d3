import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openProgressScreen, type Progress } from "../../../src/cli/tui/progress-screen.tsx";
import { displayWidth } from "../../../src/text/terminal-text.ts";

async function drawn(columns: number, states: Progress[], words: string): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), { columns, rows: 24, isTTY: true });
  let written = "";
  stdout.on("data", (chunk) => (written += String(chunk)));
  const screen = openProgressScreen({
    color: false,
    columns,
    words: ({ done }) => `${done} ${words}`,
    stdout: stdout as unknown as NodeJS.WriteStream,
  });
  for (const state of states) {
    screen.show(state);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await screen.close();
  return stripVTControlCharacters(written).split("\n");
}

test.each([40, 80, 200])("the bar fills and its words fit %d columns", async (columns) => {
  const lines = await drawn(columns, [{ total: 8, done: 5, failed: 1 }], "made again ".repeat(30));
  const text = lines.join("\n");
  expect(text).toMatch(/━+─+ +75 %/);
  expect(text).toContain("5 made again");
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
});

test("every state is drawn, and the bar is gone when the terminal is given back", async () => {
  const states = Array.from({ length: 5 }, (_, done) => ({ total: 4, done, failed: 0 }));
  const lines = await drawn(80, states, "made again");
  for (const { done } of states) expect(lines.join("\n")).toContain(`${done} made again`);
  expect(lines.slice(-2).join("")).not.toContain("━");
});

test("nothing to do is a full bar, not an error", async () => {
  expect((await drawn(80, [{ total: 0, done: 0, failed: 0 }], "made again")).join("\n")).toContain("100 %");
});
