// Addresses of pages after the `#`.
import { expect, test } from "vitest";
import { linkTo, parsePlace } from "../../src/viewer/links.ts";

test("a link with a query is read back as it was", () => {
  const link = linkTo("/search", { q: "a?b=c&d #e", project: undefined, type: "" });
  const { path, query } = parsePlace(link);
  expect(path).toBe("/search");
  expect([...query]).toEqual([["q", "a?b=c&d #e"]]);
});

test.each(["", "#", "#anything", "#javascript:alert(1)"])("the hash %o is Home", (hash) => {
  expect(parsePlace(hash).path).toBe("/");
});
