// The built files of the viewer: their size, and what the TV may load.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const built = fileURLToPath(new URL("../../dist/viewer", import.meta.url));

test("the JavaScript of the viewer has at most 120 kB gzipped", () => {
  const scripts = readdirSync(join(built, "assets")).filter((name) => name.endsWith(".js"));
  const bytes = scripts.map((name) => gzipSync(readFileSync(join(built, "assets", name))).length);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(120_000);
});

test("the TV is one file that loads nothing else", () => {
  const page = readFileSync(join(built, "tv.html"), "utf8");
  expect(page).toContain('<script type="module">');
  expect(page).not.toMatch(/\/assets\/|<script[^>]*src=|<link/);
});
