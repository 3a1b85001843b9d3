import { expect, test } from "vitest";
import { isFileName } from "../../src/text/file-name.ts";

test.each([
  "src/cart.ts",
  "cart.ts",
  ".eslintrc.json",
  "README.md",
  "lib/a.unknown",
  "./x.py",
  "schema.prisma",
])("%s is a file", (name) => {
  expect(isFileName(name)).toBe(true);
});

test.each([
  "Math.round",
  "console.log",
  "process.env",
  "JSON.parse",
  "Node.js",
  "Socket.io",
  "e.g",
  "src/",
  "cart",
  "fs.watch",
])("%s is no file", (name) => {
  expect(isFileName(name)).toBe(false);
});
