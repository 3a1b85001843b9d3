// The viewer in a browser, on a real worker: the shell, the live feed, accessibility, size.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { expect, test } from "vitest";
import { startWorker, type WorkerProcess, workerHome } from "../helpers/worker-process.ts";
import { type OpenPage, testBrowser } from "./browser.ts";

const built = fileURLToPath(new URL("../../dist/viewer", import.meta.url));
const browser = testBrowser();

test("the JavaScript of the viewer has at most 120 kB gzipped", () => {
  const scripts = readdirSync(join(built, "assets")).filter((name) => name.endsWith(".js"));
  const bytes = scripts.map((name) => gzipSync(readFileSync(join(built, "assets", name))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(120_000);
});

test("the TV is one file that loads nothing else", () => {
  const page = readFileSync(join(built, "tv.html"), "utf8");
  expect(page).not.toMatch(/\/assets\/|<script[^>]*src=|<link/);
});

async function record(worker: WorkerProcess, title: string): Promise<void> {
  const body = { claudeSessionId: "s1", project: "shop", title, summary: `About ${title}.` };
  expect((await worker.post("/observations", body)).status).toBe(201);
}

async function seriousFindings({ page }: OpenPage): Promise<string[]> {
  // A tool of the test, so it may enter where the page's own policy lets nothing in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

test("the feed shows records, and a new one without a reload", async () => {
  const worker = await startWorker(workerHome());
  await record(worker, "The first record");
  const opened = await browser.open(worker);
  const rows = opened.page.locator("[data-row]");
  await rows.filter({ hasText: "The first record" }).waitFor();
  await record(worker, "The second record");
  await rows.first().filter({ hasText: "The second record" }).waitFor();
  expect(opened.errors).toEqual([]);
  expect(opened.foreign).toEqual([]);
});

test.each(["light", "dark"] as const)("home has no serious axe finding in %s", async (colorScheme) => {
  const worker = await startWorker(workerHome());
  for (const title of ["One", "Two", "Three"]) await record(worker, title);
  const opened = await browser.open(worker, "#/", { colorScheme });
  await opened.page.locator("[data-row]").first().waitFor();
  expect(await seriousFindings(opened)).toEqual([]);
});
