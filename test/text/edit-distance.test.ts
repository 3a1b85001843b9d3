import { expect, test } from "vitest";
import { nearestName } from "../../src/text/edit-distance.ts";

test.each([
  ["bugfxi", "bugfix"],
  ["Bug", "bugfix"],
  ["decisions", "decision"],
  ["featur", "feature"],
  ["refcator", "refactor"],
  ["x", null],
  ["database", null],
  ["", null],
])("the known name nearest to %j is %s", (wanted, name) => {
  expect(nearestName(wanted, ["bugfix", "decision", "feature", "refactor"])).toBe(name);
});
