// Texts that try to run a script, in every field that the viewer shows: no script runs, and nothing is loaded.
import { expect, test } from "vitest";
import { callWorker } from "../helpers/called-worker.ts";
import { volume } from "../helpers/volume.ts";
import { screensOf, testBrowser } from "./browser.ts";
import { writeWith } from "./demo-data.ts";
import { foreignParts } from "./foreign-parts.ts";
import { payloads } from "./payloads.ts";

const browser = testBrowser();

test("there are 150 payloads", () => {
  expect(new Set(payloads).size).toBe(150);
});

test("the check notices what text alone does not bring", async () => {
  const opened = await browser.open(await callWorker());
  await opened.page.locator(".feed").waitFor();
  expect(await foreignParts(opened)).toEqual([]);
  await opened.page.evaluate(() => {
    const link = document.createElement("a");
    link.href = "javascript:top.pwned=1";
    document.body.append(document.createElement("img"), link);
    Object.assign(window, { pwned: 1 });
  });
  expect(await foreignParts(opened)).toEqual(["a script ran", "img", "a href=javascript:top.pwned=1"]);
});

test("no payload in any field is more than text, loaded first or through the stream", async () => {
  const worker = await callWorker(({ database }) => writeWith(database, payloads, Date.now()));
  const opened = await browser.open(worker);
  const { page, show, errors, foreign, dialogs } = opened;
  const found: string[] = [];
  async function look(where: string): Promise<void> {
    found.push(...(await foreignParts(opened)).map((part) => `${where}: ${part}`));
  }
  const main = page.locator("main");

  // Through the list, screen by screen.
  await page.locator(".feed [data-row]").first().waitFor();
  const seen = new Set<string>();
  for await (const titles of screensOf(page)) {
    for (const text of titles) seen.add(text);
    await look(`feed after ${seen.size} titles`);
  }
  // Each is shown as it is, but without the controls that reorder a line, and code without its backticks.
  const shown = payloads.map((payload) => payload.replaceAll("\u202e", "").replace(/`([^`]+)`/g, "$1"));
  expect(shown.filter((payload) => !seen.has(payload))).toEqual([]);

  // New ones, while the page is open. The list shows only the newest, so the one to wait for comes after all others.
  await main.evaluate((element) => element.scrollTo({ top: 0 }));
  const observe = (title: string, summary: string) =>
    worker.post("/observations", { claudeSessionId: "live", project: "live", title, summary });
  await Promise.all(payloads.map((payload) => observe(`live ${payload}`, payload)));
  await observe("the last", "the last");
  await page.locator(".feed [data-row]", { hasText: "the last" }).waitFor();
  await look("stream");

  // Every kind has the same ids, by the places of the texts.
  const step = Math.round(payloads.length / volume(50, 15));
  const kinds = ["observation", "summary", "prompt"];
  for (const id of payloads.map((_payload, index) => index + 1).filter((each) => each % step === 0)) {
    const kind = kinds[(id / step) % 3];
    await show(`#/record/${kind}/${id}`);
    await page.locator(".record-meta", { hasText: `#${id}` }).waitFor();
    if (id % (5 * step) === 0) await page.locator(".record-timeline [data-row]").first().waitFor();
    await look(`${kind} ${id}`);
  }
  for (const payload of payloads.filter((_payload, index) => index % (3 * step) === 0)) {
    await show(`#/search?q=${encodeURIComponent(payload)}&files=${encodeURIComponent(payload)}`);
    await page.locator(".search-summary").waitFor();
    await look(`search ${payload}`);
  }
  expect(found).toEqual([]);
  expect(foreign).toEqual([]);
  expect(dialogs).toEqual([]);
  expect(errors).toEqual([]);
});
