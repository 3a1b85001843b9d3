// What recall reads when it is asked, and not before.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFile } from "../../src/core/paths.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { buildRecall } from "../../src/worker/recall-answers.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("reads the mode at the first question that needs it", () => {
  const memory = createMemoryStore();
  onTestFinished(() => memory.close());
  const dataDir = tempDir();
  const { recall } = buildRecall({
    ...memory,
    settings: loadSettings({ dataDir, env: { MEM_MODE: "own" } }),
    search: { search: () => Promise.reject(new Error("not asked")) },
    changedSince: async () => new Map(),
    elsewhere: () => [],
    projectOf: (label) => label,
  });
  mkdirSync(join(dataDir, "modes"));
  const file = join(dataDir, "modes", "own.json");
  writeFileSync(file, readFileSync(packageFile("templates", "modes", "code.json")));
  expect(recall.mode().name).toBe("own");
  writeFileSync(file, "broken later");
  expect(recall.mode().name).toBe("own");
});
