import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addedText, lastLines, renderLogLine } from "../../src/cli/log-lines.ts";
import { paintFor } from "../../src/cli/paint.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const plain = paintFor(false);

test("a log line shows time, level, message and what came with it", () => {
  const time = new Date(2026, 10, 21, 7, 5, 9).toISOString();
  const line = JSON.stringify({ level: 40, time, port: 37_700, err: { message: "refused" }, msg: "no luck" });
  expect(renderLogLine(line, plain)).toBe("07:05:09  WARN   no luck  port=37700 refused");
});

test("nothing in a log line reaches the terminal as a control sequence", () => {
  const line = JSON.stringify({ level: 30, time: "x", path: "\x1b]0;t\x07p", msg: "a\x1b[2Jb\nc" });
  expect(renderLogLine(line, plain)).toBe("--:--:--  INFO   ab c  path=p");
  expect(renderLogLine("not\x1b[31m json", plain)).toBe("not json");
});

test("the last lines of a log are printed, all of them for a large count", () => {
  const file = join(tempDir(), "log");
  writeFileSync(file, "1\n2\n3\n");
  expect(lastLines(file, 2).lines).toEqual(["2", "3"]);
  expect(lastLines(file, 9).lines).toEqual(["1", "2", "3"]);
  expect(lastLines(file, 0).lines).toEqual([]);
});

test("reads what is added to a log, and from the start after a rotation", () => {
  const file = join(tempDir(), "log");
  writeFileSync(file, "1\n2\n");
  const { size } = lastLines(file, 1);
  appendFileSync(file, "3\n");
  const added = addedText(file, size);
  expect(added.text).toBe("3\n");
  writeFileSync(file, "4\n");
  expect(addedText(file, added.size).text).toBe("4\n");
});
