import { expect, test } from "vitest";
import { readOptions, selectScenarios } from "./options.mjs";

test("runs at 8 and 24 sessions and with other pasts mixed in unless told otherwise", () => {
  expect(readOptions({}).conditions).toEqual([
    { noiseSessions: 8, mixed: 0 },
    { noiseSessions: 24, mixed: 0 },
    { noiseSessions: 24, mixed: 24 },
  ]);
});

test("runs one condition where its numbers are given", () => {
  expect(readOptions({ "noise-sessions": "3" }).conditions).toEqual([{ noiseSessions: 3, mixed: 0 }]);
  expect(readOptions({ mixed: "12" }).conditions).toEqual([{ noiseSessions: 24, mixed: 12 }]);
});

test.each([{ "noise-sessions": "many" }, { mixed: "-1" }, { model: "large" }])("rejects %j", (given) => {
  expect(() => readOptions(given)).toThrow(`--${Object.keys(given)[0]} ${Object.values(given)[0]}:`);
});

test("selects by kind and by id, and rejects what is neither", () => {
  const all = [
    { id: "rule-01", kind: "rule" },
    { id: "fix-01", kind: "fix" },
    { id: "fix-02", kind: "fix" },
  ];
  expect(selectScenarios(all, ["fix"])).toEqual(all.slice(1));
  expect(selectScenarios(all, ["rule-01"])).toHaveLength(1);
  expect(selectScenarios(all, [])).toBe(all);
  expect(() => selectScenarios(all, ["fix-09"])).toThrow("no scenario or kind is called fix-09");
});

test("rejects --hosted with a scripted model", () => {
  expect(() => readOptions({ hosted: true, model: "scripted" })).toThrow("--hosted does not go");
});
