// The layout of pages in a browser: nothing moves when slow parts come in, and a phone shows results on its first screen.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sharedWorker } from "../helpers/called-worker.ts";
import { testBrowser } from "./browser.ts";
import { writeDemo } from "./demo-data.ts";

const browser = testBrowser();
const demo = sharedWorker(({ database }) => writeDemo(database, Date.now()));

declare global {
  interface Window {
    shifts: { by: number; of: string[] }[];
  }
}

/** Shifts of the layout that the reader did not cause. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null }[];
      })[]) {
        const of = entry.sources.map(({ node }) => (node instanceof Element ? node.className : "text"));
        if (!entry.hadRecentInput) window.shifts.push({ by: entry.value, of });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

test.each([
  ["#/", ".feed [data-row]"],
  ["#/record/observation/9", ".record-timeline [data-row]"],
  ["#/session/2", ".timeline-card"],
  ["#/status", ".chart"],
])("nothing on %s moves when its parts come in one after the other", async (link, ready) => {
  const worker = await demo();
  const { page } = await browser.open(worker, "#/nowhere");
  await watchShifts(page);
  let delayMs = 0;
  // Each answer is later than the one before it.
  await page.route("**/api/**", async (route) => {
    delayMs += 80;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await route.continue();
  });
  await page.goto("about:blank");
  await page.goto(`http://127.0.0.1:${worker.port}/${link}`);
  await page.locator(ready).first().waitFor();
  await expect.poll(() => page.locator("main .loading").count()).toBe(0);
  expect(await page.evaluate(() => window.shifts)).toEqual([]);
});

test("a phone shows the first result on its first screen, and no keys", async () => {
  const worker = await demo();
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, show, errors } = await browser.open(worker, "#/search?q=session", phone);
  const first = page.locator(".results [data-row]").first();
  await first.waitFor();
  const { y = 0, height = 0 } = (await first.boundingBox()) ?? {};
  expect(y + height).toBeLessThan(844 / 2);
  const type = page.getByLabel("Type", { exact: true });
  expect(await type.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Filters" }).tap();
  await type.fill("decision");
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  await show("#/record/observation/9");
  await page.locator(".record-head").waitFor();
  expect(await page.locator("kbd:visible").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Keyboard help" }).count()).toBe(0);
  expect(errors).toEqual([]);
});
