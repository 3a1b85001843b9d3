import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitionOf, parseSetting, settingKeys } from "../../src/settings/table.ts";

// The settings of both tables of the specification, with the defaults that it states.
const specified: Record<string, string | undefined> = JSON.parse(
  readFileSync(new URL("./specified-settings.json", import.meta.url), "utf8"),
);

test.each(Object.entries(specified))("%s is a setting whose default is %j", (key, fallback) => {
  const found = settingKeys.find((name) => name === key);
  expect(found).toBe(key);
  if (found !== undefined && fallback !== null) expect(definitionOf(found).default).toBe(fallback);
});

test.each(settingKeys)("the default of %s is a value that it accepts", (key) => {
  expect(parseSetting(key, definitionOf(key).default).ok).toBe(true);
});

test("only what is not recorded is seen by a running worker", () => {
  expect(settingKeys.filter((key) => definitionOf(key).effect === "live")).toEqual([
    "MEM_SKIP_TOOLS",
    "MEM_EXCLUDE_PATHS",
    "MEM_EXCLUDE_PROJECTS",
  ]);
});
