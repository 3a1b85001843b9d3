import fc from "fast-check";
import { expect, it } from "vitest";
import { codeOf, codesOfPacked, packTerms, unpackTerms } from "../../../src/core/records/record-terms.ts";

const record = {
  title: "Fixed the redirect",
  subtitle: null,
  summary: "Fixed the redirect",
  narrative: "The login kept its query",
  facts: '["exit code 1"]',
  files_touched: '["src/auth/login.ts"]',
  generator: "test",
};
const codes = (...terms: string[]) => terms.map(codeOf);

function columnsOf(packed: Uint8Array, from?: number, end?: number) {
  const { codes: all, title, files, body, end: last } = unpackTerms(codesOfPacked(packed), from, end);
  const column = (start: number, stop: number) => [...all.subarray(start, stop)];
  return { title: column(title, files), files: column(files, body), body: column(body, last) };
}

it("unpacks a record as it was packed, without a summary that repeats the title", () => {
  expect(columnsOf(packTerms(record))).toEqual({
    title: codes("fix", "redirect"),
    files: codes("src", "auth", "login", "ts"),
    body: codes("login", "kept", "queri", "exit", "code", "1"),
  });
});

it("unpacks records that are packed one behind the other separately", () => {
  const other = packTerms({ ...record, title: "", narrative: "another story" });
  const first = packTerms(record);
  const both = new Uint8Array([...first, ...other]);
  expect(columnsOf(both, 0, first.length / 4)).toEqual(columnsOf(first));
  expect(columnsOf(both, first.length / 4)).toEqual(columnsOf(other));
});

it("words with the same first four letters share only the upper half of their codes", () => {
  expect(codeOf("iterable") >>> 16).toBe(codeOf("iterator") >>> 16);
  expect(codeOf("iterable")).not.toBe(codeOf("iterator"));
});

it("whatever the text, unpacking gives whole columns, at an odd address too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (title, narrative) => {
      const packed = packTerms({ ...record, title, narrative });
      const shifted = new Uint8Array(packed.length + 1);
      shifted.set(packed, 1);
      expect(columnsOf(shifted.subarray(1))).toEqual(columnsOf(packed));
    }),
  );
});

it("of a long text the beginning is kept", () => {
  const { body } = columnsOf(packTerms({ ...record, narrative: "word ".repeat(50_000) }));
  expect(body.length).toBeLessThan(3000);
});
