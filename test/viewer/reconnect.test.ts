// The live stream after an outage, in a browser: how soon an open page is live again.
import { expect, test } from "vitest";
import { sharedWorker } from "../helpers/called-worker.ts";
import { type OpenPage, testBrowser } from "./browser.ts";

const browser = testBrowser();
const shared = sharedWorker();

declare global {
  interface Window {
    /** Connections of the stream that are being opened. */
    tries: number;
  }
}

/** A page that was cut off for two minutes, on a clock that stands still. */
async function openLost(): Promise<OpenPage> {
  const opened = await browser.open(await shared(), "#/");
  const { page } = opened;
  const start = 1_800_000_000_000;
  await page.clock.install({ time: start });
  await page.addInitScript(() => {
    window.tries = 0;
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        window.tries += 1;
        this.addEventListener("error", () => {
          window.tries -= 1;
        });
      }
    };
  });
  await page.route("**/stream", (route) => route.abort());
  await page.reload();
  await page.locator(".connection").getByText("Offline").waitFor();
  await page.clock.pauseAt(start + 600_000);
  for (let second = 0; second < 120; second += 10) {
    await page.clock.runFor(10_000);
    // No try is on its way that could succeed later.
    await expect.poll(() => page.evaluate(() => window.tries)).toBe(0);
  }
  await page.unroute("**/stream");
  return opened;
}

const live = (page: OpenPage["page"]) => page.locator(".connection").getByText("Live");

test("a page that is looked at is live within five seconds after the worker is back", async () => {
  const { page } = await openLost();
  await page.clock.runFor(5_000);
  await live(page).waitFor();
});

test.each(["focus", "online", "visibilitychange"])("%s connects without a wait", async (event) => {
  const { page } = await openLost();
  expect(await live(page).count()).toBe(0);
  await page.evaluate((name) => {
    const target = name === "visibilitychange" ? document : window;
    target.dispatchEvent(new Event(name));
  }, event);
  await live(page).waitFor();
});
