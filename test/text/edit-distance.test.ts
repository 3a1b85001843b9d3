import { expect, test } from "vitest";
import { editDistance } from "../../src/text/edit-distance.ts";

test.each([
  ["postgres", "postgres", 0],
  ["postgers", "postgres", 1],
  ["postgrs", "postgres", 1],
  ["postgress", "postgres", 1],
  ["pastgres", "postgres", 1],
  ["pstgrs", "postgres", 2],
  ["", "ab", 2],
  ["kitten", "sitting", 3],
  ["short", "muchlonger", 3],
])("%j and %j are %i errors apart, at most one more than asked for", (left, right, errors) => {
  expect(editDistance(left, right, 2)).toBe(errors);
  expect(editDistance(right, left, 2)).toBe(errors);
});
