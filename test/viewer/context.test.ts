// The context preview in a browser, on a real worker.
import { expect, test } from "vitest";
import type { Asks } from "../../src/viewer/api.ts";
import { callWorker } from "../helpers/called-worker.ts";
import { testBrowser } from "./browser.ts";
import { injectedPrompt, sendInjectedSession } from "./injected-session.ts";

const browser = testBrowser();

test("the preview shows what an agent gets at each moment, and why", async () => {
  const worker = await callWorker();
  await sendInjectedSession(worker);
  const { page, errors, foreign } = await browser.open(worker, "#/context");
  await page.getByRole("heading", { name: "Start of a session" }).waitFor();
  const file = "src/auth/session.ts";
  await page.getByLabel("First prompt").fill(injectedPrompt);
  await page.getByLabel("File that it opens").fill(file);
  await page.getByLabel("Command that it runs").fill("true");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("heading", { name: "Before the command" }).waitFor();
  const asked = { project: "shop", prompt: injectedPrompt, file, command: "true" };
  const { moments } = (await worker.post("/api/context/explain", asked)).body as Asks["/api/context/explain"];
  const texts = moments.filter(({ nothing }) => nothing === null).map(({ text }) => text);
  expect(await page.locator(".moment pre").allTextContents()).toEqual(texts);
  const reasons = page.locator(".reason");
  expect(await reasons.count()).toBe(moments.flatMap(({ records }) => records).length);
  await reasons.filter({ hasText: "about this file" }).first().waitFor();
  const nothing = moments.find(({ moment }) => moment === "command")?.nothing ?? "";
  await page.getByText(nothing).waitFor();
  expect([...errors, ...foreign]).toEqual([]);
});

test("without a project the preview says where projects come from", async () => {
  const worker = await callWorker();
  const { page } = await browser.open(worker, "#/context");
  await page.getByText("No project is known yet.").waitFor();
});
