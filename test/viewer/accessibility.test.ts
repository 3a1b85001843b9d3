// Every page of the viewer against axe, in light and dark, and its width on a phone.
import { expect, test } from "vitest";
import { callWorker } from "../helpers/called-worker.ts";
import { seriousFindings, testBrowser } from "./browser.ts";
import { writeDemo } from "./demo-data.ts";

const browser = testBrowser();

const pages: [link: string, ready: string][] = [
  ["#/", ".feed [data-row]"],
  ["#/search?q=session", ".results [data-row]"],
  ["#/record/observation/9", ".record-timeline [data-row]"],
  ["#/record/observation/9?edit=1", "form"],
  ["#/record/summary/1", ".record-timeline [data-row]"],
  ["#/record/prompt/1", ".record-timeline [data-row]"],
  ["#/trash", ".trash-row"],
  ["#/record/observation/12", ".missing"],
  ["#/record/foo/1", ".missing"],
  ["#/?project=nope", ".address-note"],
  ["#/search?q=session&from=xx&obs_type=Bad+Type", ".note"],
  ["#/sessions", "[data-row]"],
  ["#/session/2", ".timeline-card"],
  ["#/context?project=shop&prompt=Why+are+users+logged+out%3F&file=src/auth/session.ts", ".reason"],
  ["#/status", ".chart"],
  ["#/settings", ".setting"],
];

test("no page has a serious finding in light or dark, and none is wider than a phone", async () => {
  const worker = await callWorker(({ database }) => writeDemo(database, Date.now()));
  const { page, show, errors } = await browser.open(worker, "#/record/observation/12");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".feed").waitFor();
  const findings: string[] = [];
  for (const [link, ready] of pages) {
    await show(link);
    await page.locator(ready).first().waitFor();
    findings.push(...(await seriousFindings(page)).map((finding) => `${link} ${finding}`));
    await page.emulateMedia({ colorScheme: "dark" });
    // The document is the same, so only colours can differ.
    const inDark = await seriousFindings(page, ["color-contrast"]);
    findings.push(...inDark.map((finding) => `${link} dark ${finding}`));
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = await page.evaluate(() => {
      const main = document.querySelector("main");
      return [document.documentElement, main].map((each) => (each ? each.scrollWidth - each.clientWidth : 0));
    });
    if (overflow.some((pixels) => pixels > 0)) findings.push(`${link} is too wide: ${overflow.join()} px`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await show("#/record/observation/9?edit=1");
  await page.getByLabel("Title", { exact: true }).fill("");
  await page.keyboard.press("Control+Enter");
  await page.getByText("The title cannot be empty.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Discard the changes?").waitFor();
  findings.push(...(await seriousFindings(page)));
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Edit" }).focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  findings.push(...(await seriousFindings(page)));
  expect(findings).toEqual([]);
  // The addresses of wrong and deleted records.
  expect(errors.filter((error) => !error.startsWith("Failed to load resource"))).toEqual([]);
  // Each page is checked three times, so all of them take longer than one test does.
});
