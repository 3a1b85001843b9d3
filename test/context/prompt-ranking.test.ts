import { afterEach, beforeEach, expect, test } from "vitest";
import { createPromptRanking } from "../../src/context/prompt-ranking.ts";
import type { Observation } from "../../src/domain/records.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

let memory: MemoryStore;

beforeEach(() => {
  memory = createMemoryStore();
});
afterEach(() => memory.close());

function conclusion(text: string, turn: number): Observation {
  return memory.addObservation({
    title: text,
    summary: text,
    prompt_number: turn,
    statement: { said_by: "agent", standing: false, reach: "project", salience: 2 },
  });
}

test("records of edited files come first of what a prompt calls for", () => {
  const records = [
    conclusion("The import fails because `mailer.ts` closes the connection early.", 1),
    conclusion("The import fails because `parser.ts` reads the header twice.", 2),
  ];
  const first = (names: readonly string[]) => {
    const { ranked } = createPromptRanking().rank(
      "why does the import fail?",
      { records, prompts: [] },
      new Set(),
      names,
    );
    return ranked[0]?.record.summary;
  };
  expect(first(["mailer.ts"])).toContain("mailer.ts");
  expect(first(["parser.ts"])).toContain("parser.ts");
});

test("edited files bring nothing in that the prompt does not call for", () => {
  const records = [conclusion("The import fails because `mailer.ts` closes the connection early.", 1)];
  const ranking = createPromptRanking();
  const past = { records, prompts: [] };
  expect(ranking.rank("write me a haiku about spring", past, new Set(), ["mailer.ts"]).ranked).toEqual([]);
});
