import { expect, test } from "vitest";
import * as z from "zod";
import { issueWords } from "../../../src/http/schemas/issue-words.ts";
import { fakeWorld, local } from "../support.ts";

test.each<[string, z.ZodType, unknown, string]>([
  ["a missing text", z.object({ a: z.string() }), {}, "must be given: a text"],
  ["another kind", z.boolean(), "yes", "must be true or false"],
  ["a part of a number", z.int(), 1.5, "must be a whole number"],
  ["a value that is not offered", z.enum(["index", "full"]), "x", "must be one of index, full"],
  ["the one value that it may have", z.literal("superseded"), "x", "must be superseded"],
  ["a long text", z.string().max(4_000), "x".repeat(4_001), "must have at most 4,000 characters"],
  ["an empty text", z.string().min(1), "", "must have at least 1 character"],
  ["a long list", z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 entries"],
  ["a large number", z.number().max(3), 5, "must be at most 3"],
  ["a number at its open end", z.number().gt(3), 3, "must be more than 3"],
  ["fields that nobody knows", z.strictObject({}), { b: 1, c: 2 }, "must not have the fields b, c"],
  [
    "none of several shapes",
    z.discriminatedUnion("s", [z.object({ s: z.literal("a") }), z.object({ s: z.literal("b") })]),
    { s: "x" },
    "must be one of a, b",
  ],
  ["none of several kinds", z.union([z.string(), z.number()]), true, "has none of its possible forms"],
  ["another form", z.string().regex(/^a$/), "b", "does not have its form"],
  ["a schema's own words", z.string({ error: "must be a name" }), 1, "must be a name"],
])("reports %s in our words", (_, schema, value, words) => {
  const { error } = schema.safeParse(value, { error: issueWords });
  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});

test("a route that refuses a value says so in our words", async () => {
  const world = fakeWorld();
  const answer = await world.app.inject({ url: "/api/search?format=long", headers: local });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error).toMatchObject({ message: "`format`: must be one of index, full" });
  await world.app.close();
});
