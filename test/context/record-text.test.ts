import { describe, expect, it } from "vitest";
import { expandedLines } from "../../src/context/record-text.ts";
import { parseLists } from "../../src/core/records/records.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";

interface Told {
  title: string;
  narrative?: string;
  facts?: string[];
  summary?: string;
}

function linesOf(told: Told, field: "narrative" | "facts" = "narrative"): string[] | null {
  const memory = createMemoryStore();
  const stored = memory.addObservation({ summary: "", ...told });
  memory.close();
  return expandedLines(parseLists(stored), told.title, field);
}

describe("an expanded record", () => {
  const title = "Edited calc.py: added div (2 lines added)";
  const rows: [string, Told, string[] | null][] = [
    [
      "leaves out the title before its story",
      { title, narrative: `${title}. It guards against zero.` },
      ["It guards against zero."],
    ],
    [
      "leaves out the sentences that only say the title again",
      { title, narrative: "Edited calc.py. It added div. 2 lines added. Zero gives none." },
      ["Zero gives none."],
    ],
    [
      "goes on after three dots where its story only begins with the title",
      { title: "Kept the query", narrative: "Kept the query so that deep links survive." },
      ["…so that deep links survive."],
    ],
    [
      "knows a title that was cut",
      {
        title: "Searched for session sec…",
        narrative: "Searched for session secrets in src. Two files have one.",
      },
      ["…secrets in src. Two files have one."],
    ],
    [
      "tells nothing of a long word that the title cuts",
      { title: `Ran ${"aVery".repeat(20)}…`, narrative: `Ran ${"aVery".repeat(50)}. It printed 1 line.` },
      ["…It printed 1 line."],
    ],
    [
      "is cut where its story is cut too",
      { title: "Ran some long…", narrative: "Ran some long…. It printed 1 line." },
      ["It printed 1 line."],
    ],
    [
      "takes no longer word for the title",
      { title: "Fix", narrative: "Fixtures are made anew." },
      ["Fixtures are made anew."],
    ],
    [
      "shows the facts when the story has no word beyond them",
      {
        title: "Read calc.py: declares add",
        narrative: "Read calc.py. It declares add, mul.",
        facts: ["declares add, mul"],
      },
      ["declares add, mul"],
    ],
    [
      "keeps a story that denies its facts",
      { title: "Ran it", narrative: "The cache was not cleared.", facts: ["The cache was cleared"] },
      ["The cache was not cleared."],
    ],
    [
      "falls back to the summary, without the title too",
      {
        title: "Chose sqlite",
        narrative: "Chose SQLite.",
        facts: ["sqlite"],
        summary: "Chose SQLite: no server to run.",
      },
      ["no server to run."],
    ],
    [
      "has no lines when nothing is left to say",
      {
        title: "Read calc.py: declares add, mul",
        narrative: "Read calc.py. It declares add, mul.",
        facts: ["calc.py declares: add, mul"],
        summary: "Read calc.py: declares add, mul.",
      },
      null,
    ],
  ];
  it.each(rows)("%s", (_name, told, lines) => {
    expect(linesOf(told)).toEqual(lines);
  });

  it("by facts leaves out those that say the title again, and falls back to the story", () => {
    const told = { title: "Tests: 3 passed", narrative: "They took a minute." };
    expect(linesOf({ ...told, facts: ["3 tests passed", "one is slow"] }, "facts")).toEqual(["one is slow"]);
    expect(linesOf({ ...told, facts: ["3 tests passed"] }, "facts")).toEqual(["They took a minute."]);
  });

  it("cuts its story after the title was taken out", () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ");
    const line = linesOf({ title: "Long", narrative: `Long. ${words}` })?.[0] ?? "";
    expect(line).toMatch(/^word0 .*…$/);
    expect(line.length).toBeGreaterThan(690);
    expect(line.length).toBeLessThanOrEqual(700);
  });
});
