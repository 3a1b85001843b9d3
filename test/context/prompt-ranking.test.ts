import { afterEach, beforeEach, expect, test } from "vitest";
import type { EarlierPrompt } from "../../src/context/context-port.ts";
import { createPromptRanking } from "../../src/context/prompt-ranking.ts";
import type { Observation } from "../../src/core/records/records.ts";
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

function asked(prompt_text: string, turn: number): EarlierPrompt {
  return { id: turn, sdk_session_id: "s1", prompt_number: turn, prompt_text };
}

function rankedFor(prompt: string, records: readonly Observation[], prompts: readonly EarlierPrompt[] = []) {
  const { ranked } = createPromptRanking().rank(prompt, { records, prompts }, new Set());
  return ranked.map(({ record }) => record.summary);
}

test("a problem report ranks results of earlier problems above results of requests", () => {
  const records = [
    conclusion("The mail goes through `relay-a` now.", 1),
    conclusion("The mail of `relay-b` was signed with the old key.", 2),
  ];
  const prompts = [asked("move the mail to another relay", 1), asked("why is our mail rejected?", 2)];
  expect(
    rankedFor("customers complain that no mail of ours arrives since monday", records, prompts)[0],
  ).toContain("relay-b");
});

test("a long word finds its parts, and a part finds long words", () => {
  const records = [conclusion("Stand der Umstellung: `web` ist noch nicht angefangen.", 1)];
  expect(rankedFor("wie machen wir bei der Testumstellung in der API weiter?", records)).toHaveLength(1);
  const compound = [conclusion("Die Preisabfrage liest aus dem Zwischenspeicher von `shop`.", 1)];
  expect(rankedFor("warum ist die abfrage in Produktion so langsam?", compound)).toHaveLength(1);
});

test("one turn does not fill what is said, unless its work is taken up again", () => {
  const parts = ["alpha", "beta", "gamma", "delta", "epsilon"];
  const records = parts.map((part) => conclusion(`The migration of \`${part}\` is not done yet.`, 1));
  expect(rankedFor("add a test that covers the whole migration of our tables", records)).toHaveLength(3);
  expect(rankedFor("continue the migration", records)).toHaveLength(5);
  expect(rankedFor("continue", records)).toEqual([]);
});

test("what shares no word with the prompt stays out", () => {
  const records = [
    conclusion("Sessions end early because the `login` cookie has no domain.", 1),
    conclusion("The webhook is sent twice because `retry()` counts from zero.", 2),
  ];
  expect(rankedFor("why does the webhook arrive twice?", records)).toEqual([records[1]?.summary]);
});

test("a short prompt gets only what shares two words with it", () => {
  const records = [conclusion("The webhook is sent twice because `retry()` counts from zero.", 1)];
  expect(rankedFor("why is the webhook sent twice?", records)).toHaveLength(1);
  expect(rankedFor("commit the webhook", records)).toEqual([]);
});

test("what the user refuses with the next prompt stays out", () => {
  const text = "the html download has to contain all columns of the table";
  const statement = { said_by: "user", standing: false, reach: "project", salience: 0.3 } as const;
  const stored = memory.addObservation({ title: text, summary: text, prompt_number: 1, statement });
  const wish = { ...stored, sdk_session_id: "s1" };
  const found = (next: string) =>
    rankedFor("which columns must the html download contain?", [wish], [asked(next, 2), asked(text, 1)]);
  expect(found("no. only these: code, description, price")).toEqual([]);
  expect(found("no, it is still broken")).toHaveLength(1);
  expect(found("now sort them by name")).toHaveLength(1);
});
