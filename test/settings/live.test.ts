import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { createLiveSettings } from "../../src/settings/live.ts";
import { createSettingsFile } from "../../src/settings/settings-file.ts";
import { setSetting } from "../../src/settings/write.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function live(env: Record<string, string> = {}) {
  const dataDir = tempDir();
  createSettingsFile(dataDir);
  const warnings: string[] = [];
  let nowMs = 0;
  const settings = createLiveSettings({
    dataDir,
    env,
    clock: { now: () => nowMs, monotonicMs: () => nowMs },
    warn: (sentence) => warnings.push(sentence),
  });
  return { dataDir, settings, warnings, wait: (ms: number) => (nowMs += ms) };
}

test("skipped tools that are set are seen at the next tool use", () => {
  const { dataDir, settings, wait } = live();
  expect(settings.skipTools().has("TodoWrite")).toBe(true);
  setSetting(dataDir, "MEM_SKIP_TOOLS", "Bash, Read");
  wait(20);
  expect([...settings.skipTools()]).toEqual(["Bash", "Read"]);
});

test("an unchanged file is not read again", () => {
  const { settings, wait } = live();
  const before = settings.skipTools();
  wait(1000);
  expect(settings.skipTools()).toBe(before);
});

test("keeps the last tools and warns once when the file becomes invalid", () => {
  const { dataDir, settings, warnings, wait } = live();
  const before = settings.skipTools();
  writeFileSync(dataPaths(dataDir).settings, "{");
  for (let call = 0; call < 3; call += 1) {
    wait(100);
    expect(settings.skipTools()).toBe(before);
  }
  expect(warnings).toHaveLength(1);
});

test("the environment beats the file while the worker runs, too", () => {
  const { dataDir, settings, wait } = live({ MEM_SKIP_TOOLS: "Only" });
  setSetting(dataDir, "MEM_SKIP_TOOLS", "Bash");
  wait(100);
  expect([...settings.skipTools()]).toEqual(["Only"]);
});
