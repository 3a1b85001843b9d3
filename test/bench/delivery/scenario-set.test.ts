import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../helpers/temp-dir.ts";
import { loadScenarioSet, scenarioFaults, setFolders } from "./scenario-set.mjs";

const turn = {
  prompt: "build it",
  did: [{ tool: "Bash", input: { command: 'say "hi"\nmake' }, output: "ok" }],
  closing: "It needs JDK 17.",
};
const scenario = {
  id: "fix-01",
  kind: "fix",
  lang: "en",
  past: [{ turns: [turn] }],
  now: { prompt: "build again", before: { tool: "Bash", input: { command: "make" } } },
  need: [{ at: "action", all: ["jdk 17"] }],
  never: [] as string[],
};
const noise = [{ turns: [{ prompt: "hello", closing: "Hi, tabs it is." }] }];

describe("faults of a scenario", () => {
  test("are none where the past holds what is needed", () => {
    expect(scenarioFaults(scenario, noise)).toEqual([]);
  });

  test("matches expressions against commands as they were typed", () => {
    expect(scenarioFaults({ ...scenario, need: [{ at: "start", all: ['say "hi"\\nmake'] }] }, noise)).toEqual(
      [],
    );
  });

  test.each([
    [{ kind: "odd" }, "unknown kind odd"],
    [{ kind: "quiet" }, "a need belongs to every kind but quiet"],
    [{ need: [{ at: "later", all: ["JDK"] }] }, "unknown moment later"],
    [{ need: [{ at: "start", all: ["JDK 21"] }] }, "the past lacks /JDK 21/"],
    [{ need: [{ at: "start", all: ["build|hello"] }] }, "noise and prompt meet the need alone: build|hello"],
    [{ need: [{ at: "start", all: ["("] }] }, "no regular expression: ("],
    [{ now: { prompt: "build again" } }, "a need at the action, and no action"],
    [{ never: ["tabs"] }, "the noise holds /tabs/"],
    [{ past: [] }, "every turn of the past needs a prompt, a closing, and a tool and an input for each use"],
  ])("names %j", (change, fault) => {
    expect(scenarioFaults({ ...scenario, ...change }, noise)).toEqual([`fix-01: ${fault}`]);
  });
});

describe("a data folder", () => {
  function devSet() {
    const data = tempDir();
    const folder = join(data, "dev");
    mkdirSync(folder);
    writeFileSync(join(folder, "fix-01.json"), JSON.stringify(scenario));
    writeFileSync(join(folder, "noise.json"), JSON.stringify({ sessions: noise }));
    return { data, folder };
  }

  test("is one set, or holds sets in its folders", () => {
    const { data, folder } = devSet();
    expect(setFolders(folder)).toEqual([folder]);
    expect(setFolders(data)).toEqual([folder]);
    expect(() => setFolders(tempDir())).toThrow("holds no scenarios");
  });

  test("gives the set under the folder's name", () => {
    expect(loadScenarioSet(devSet().folder)).toMatchObject({
      name: "dev",
      scenarios: [{ id: "fix-01" }],
      noise,
    });
  });

  test("names a file that is not JSON", () => {
    const broken = tempDir();
    writeFileSync(join(broken, "rule-01.json"), "{");
    expect(() => loadScenarioSet(broken)).toThrow("rule-01.json is not JSON");
  });
});
