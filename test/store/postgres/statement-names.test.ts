// A connection keeps one text per statement name: a second text of that name is refused.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../../../src/store/postgres/", import.meta.url);

test("no two prepared statements of the server have the same name", () => {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && file !== "migrate.ts")
    .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/\bname: (["`][^"`]+["`])/g)])
    .map(([, name]) => name);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
