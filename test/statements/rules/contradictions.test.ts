import { expect, test } from "vitest";
import { contradictionsIn } from "../../../src/statements/rules/contradictions.ts";

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
