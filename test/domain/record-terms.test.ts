import fc from "fast-check";
import { expect, it } from "vitest";
import { codeOf, packTerms, unpackTerms } from "../../src/domain/record-terms.ts";

const record = {
  title: "Fixed the redirect",
  subtitle: null,
  summary: "Fixed the redirect",
  narrative: "The login kept its query",
  facts: '["exit code 1"]',
  files_touched: '["src/auth/login.ts"]',
};
const codes = (...terms: string[]) => terms.map(codeOf);

it("a record is unpacked as it was packed, with a summary that repeats the title left out", () => {
  const { title, files, body } = unpackTerms(packTerms(record));
  expect([...title]).toEqual(codes("fix", "redirect"));
  expect([...files]).toEqual(codes("src", "auth", "login", "ts"));
  expect([...body]).toEqual(codes("login", "kept", "queri", "exit", "code", "1"));
});

it("words that begin with the same four letters share the upper half of their codes, and only that", () => {
  expect(codeOf("iterable") >>> 16).toBe(codeOf("iterator") >>> 16);
  expect(codeOf("iterable")).not.toBe(codeOf("iterator"));
});

it("whatever the text, unpacking gives whole columns, at an odd address too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (title, narrative) => {
      const packed = packTerms({ ...record, title, narrative });
      const shifted = new Uint8Array(packed.length + 1);
      shifted.set(packed, 1);
      expect(unpackTerms(shifted.subarray(1))).toEqual(unpackTerms(packed));
    }),
  );
});

it("of a long text the beginning is kept", () => {
  const { body } = unpackTerms(packTerms({ ...record, narrative: "word ".repeat(50_000) }));
  expect(body.length).toBeLessThan(3000);
});
