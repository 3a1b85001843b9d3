import { expect, test } from "vitest";
import { contradictionsIn } from "../../../src/statements/rules/contradictions.ts";
import { sameSubject } from "../../../src/statements/rules/subject.ts";

const rule = (id: number, text: string, project = "shop", reach: "project" | "everywhere" = "project") => ({
  id,
  text,
  project,
  reach,
  said_by: "user" as const,
  created_at_epoch: 1_000 - id,
});

test("pairs contradicting rules, the older one first", () => {
  expect(contradictionsIn([rule(1, "Use pnpm"), rule(2, "Use npm"), rule(3, "Short answers")])).toEqual([
    { older: 2, newer: 1 },
  ]);
});

test("compares only rules that can apply together", () => {
  expect(contradictionsIn([rule(1, "Use pnpm"), rule(2, "Use npm", "other")])).toEqual([]);
  expect(contradictionsIn([rule(1, "Use pnpm", "other", "everywhere"), rule(2, "Use npm")])).toHaveLength(1);
});

test.each([
  ["Never edit src/alpha.ts by hand.", "Never edit src/beta.ts by hand."],
  ["Run `make lint-web` before a commit.", "Run `make lint-api` before a commit."],
  ["Ask before you touch the billing service.", "Ask before you touch the search service."],
  ["Keep orders.md up to date.", "Keep users.md up to date."],
  ["Never run the demo seeder.", "Never run the load tests."],
  ["From now on never edit the file alpha.ts.", "From now on never edit the file beta.ts."],
  ["From now on never deploy to server 1.", "From now on never deploy to server 2."],
  ["From now on always run job 12 before a deploy.", "From now on always run job 13 before a deploy."],
  ["Ab jetzt bitte nie die Datei alpha.ts ändern.", "Ab jetzt bitte nie die Datei beta.ts ändern."],
])("a sibling neither contradicts nor replaces a rule: %s %s", (one, other) => {
  expect(contradictionsIn([rule(1, other), rule(2, one)])).toEqual([]);
  expect(sameSubject(said(one), said(other))).not.toBe("same");
});

test.each([
  (at: number) => `Never edit src/part${at}.ts by hand.`,
  (at: number) =>
    `Rule ${at}: the module number ${at} stays stable, because partner ${at} calls it directly.`,
])("forty rules that differ in their object contradict each other in no pair", (textOf) => {
  expect(contradictionsIn(Array.from({ length: 40 }, (_, at) => rule(at, textOf(at))))).toEqual([]);
});

test("one slot with two values is a contradiction, and a newer value replaces it", () => {
  const [older, newer] = ["Lines have at most 80 columns.", "Lines have at most 100 columns."];
  expect(contradictionsIn([rule(1, newer), rule(2, older)])).toHaveLength(1);
  expect(sameSubject(said(older), said("From now on lines have at most 100 columns instead."))).toBe("same");
});

function said(text: string) {
  return { text, said_by: "user", standing: true } as const;
}
