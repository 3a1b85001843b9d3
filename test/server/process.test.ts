import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import { logConsole } from "../../src/server/process.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("logs what a library prints, without the objects on its errors", async () => {
  const file = join(tempDir(), "server.log");
  const { log, close } = createLog(file, "INFO");
  let isEnding = false;
  const giveBack = logConsole(log, () => isEnding);
  onTestFinished(giveBack);
  const lost = Object.assign(new Error("terminating connection"), {
    code: "57P01",
    client: { password: "hunter2" },
  });
  console.trace(lost);
  console.error("Retried 100 times, and still failed:\n  really", 7);
  isEnding = true;
  console.trace(new Error("Cannot use a pool after calling end on the pool"));
  giveBack();
  await close();
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).err)).toEqual([
    {
      code: "storage_failed",
      message: "The database did not answer.",
      causes: ["terminating connection (57P01)"],
    },
    expect.objectContaining({ message: "Retried 100 times, and still failed: really" }),
  ]);
  expect(lines.join()).not.toContain("hunter2");
});
