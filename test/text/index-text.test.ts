import { describe, expect, it } from "vitest";
import { identifierParts, indexText } from "../../src/text/index-text.ts";

describe("identifierParts", () => {
  const rows: [string, string[]][] = [
    ["parseConfig", ["parse", "config"]],
    ["HTTPServer", ["http", "server"]],
    ["getHTTPResponseCode", ["get", "http", "response", "code"]],
    ["utf8Decoder", ["utf8", "decoder"]],
    ["aB", []],
    ["README", []],
    ["config", []],
    ["Config", []],
    ["", []],
  ];
  it.each(rows)("splits %j into its words", (word, parts) => {
    expect(identifierParts(word)).toEqual(parts);
  });

  it("leaves runs longer than any identifier whole, so encoded data adds no terms", () => {
    expect(identifierParts("aB".repeat(40))).toEqual([]);
  });
});

describe("indexText", () => {
  it("keeps text without camelCase as it is", () => {
    const text = "Edited src/auth/login.ts: parse_config now reads UTF-8";
    expect(indexText(text)).toBe(text);
  });

  it("adds each part of the identifiers once, after the text", () => {
    expect(indexText("parseConfig calls readConfig")).toBe("parseConfig calls readConfig parse config read");
  });

  it("finds the identifiers inside snake case and paths", () => {
    expect(indexText("src/userStore/test_openDb.ts")).toBe("src/userStore/test_openDb.ts user store open db");
  });
});
