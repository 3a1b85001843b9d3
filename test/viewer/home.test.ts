// Home in a browser, on a real worker: the live feed, standing rules, the long list.
import { expect, test } from "vitest";
import { type CalledWorker, callWorker } from "../helpers/called-worker.ts";
import { volume } from "../helpers/volume.ts";
import { screensOf, seriousFindings, testBrowser } from "./browser.ts";
import { writeDemo, writeMany } from "./demo-data.ts";

const browser = testBrowser();

async function record(worker: CalledWorker, title: string): Promise<void> {
  const body = { claudeSessionId: "s1", project: "shop", title, summary: `About ${title}.` };
  expect((await worker.post("/observations", body)).status).toBe(201);
}

test("the feed shows what a hook reports, without a reload", async () => {
  const worker = await callWorker();
  const opened = await browser.open(worker);
  await opened.page.getByText("Nothing is remembered here yet.").waitFor();
  const event = { session_id: "s1", cwd: "/home/ada/shop", transcript_path: "/nowhere.jsonl" };
  const prompt = { ...event, hook_event_name: "UserPromptSubmit", prompt: "Fix the rounding of the cart." };
  await worker.post("/api/hooks/claude-code/UserPromptSubmit", prompt);
  const edit = {
    ...event,
    hook_event_name: "PostToolUse",
    tool_name: "Edit",
    tool_input: { file_path: "/home/ada/shop/src/cart.ts", old_string: "a", new_string: "b" },
    tool_response: { filePath: "/home/ada/shop/src/cart.ts", success: true },
  };
  await worker.post("/api/hooks/claude-code/PostToolUse", edit);
  const rows = opened.page.locator(".feed [data-row]");
  await rows.filter({ hasText: "cart.ts" }).waitFor();
  await rows.filter({ hasText: "Fix the rounding of the cart." }).waitFor();
  expect(opened.errors).toEqual([]);
  expect(opened.foreign).toEqual([]);
});

test("a new record does not move what is being read, and a button counts it", async () => {
  const worker = await callWorker(({ database }) => writeMany(database, 150, Date.now()));
  const { page, errors } = await browser.open(worker);
  await page.locator(".feed [data-row]").first().waitFor();
  // The panels above have their height.
  await expect.poll(() => page.locator(".panels .loading").count()).toBe(0);
  await page.locator("main").evaluate((main) => main.scrollTo({ top: 2_000 }));
  const read = page.locator(".feed [data-row]", { hasText: "Record 120 " });
  await read.waitFor();
  const before = await read.boundingBox();
  for (const title of ["One more", "And another", "The third"]) await record(worker, title);
  const pill = page.getByRole("button", { name: "3 new" });
  await pill.waitFor();
  expect((await read.boundingBox())?.y).toBe(before?.y);
  await pill.click();
  await page.locator(".feed [data-row]").first().filter({ hasText: "The third" }).waitFor();
  expect(await pill.count()).toBe(0);
  expect(errors).toEqual([]);
});

async function titlesOf(count: number, stepMs?: number): Promise<Set<string>> {
  const worker = await callWorker(({ database }) => writeMany(database, count, Date.now(), stepMs));
  const { page, errors } = await browser.open(worker);
  await page.locator(".feed [data-row]").first().waitFor();
  const seen = new Set<string>();
  for await (const titles of screensOf(page)) for (const title of titles) seen.add(title);
  const size = await page.locator(".feed li").last().getAttribute("aria-setsize");
  expect([size, ...errors]).toEqual([String(count)]);
  // Only rows near the screen exist.
  expect(await page.locator(".feed [data-row]").count()).toBeLessThan(80);
  return seen;
}

test("scrolling by screens shows each of some hundred records", async () => {
  const count = volume(850, 330);
  expect((await titlesOf(count)).size).toBe(count);
});

test("the feed has each of 350 records of one millisecond once", async () => {
  expect((await titlesOf(350, 0)).size).toBe(350);
});

test("rules are added, replaced and removed, each with a way back", async () => {
  const worker = await callWorker(({ database }) => writeDemo(database, Date.now()));
  const { page, errors } = await browser.open(worker);
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  const rule = (text: string) => rules.locator("li", { hasText: text });
  await page.getByLabel("Project").selectOption("shop");
  await rule("Run the linter").waitFor();
  await rules.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("New rule for shop").fill("Name branches after their issue.");
  await page.keyboard.press("Control+Enter");
  await rule("Name branches after their issue.").waitFor();

  await rule("Run the linter").getByRole("button", { name: "Replace" }).click();
  await rules.getByLabel("Replace the rule by").fill("Let the editor format on save.");
  await rules.locator("form").getByRole("button", { name: "Replace" }).click();
  await rule("Let the editor format on save.").waitFor();
  await rule("Run the linter").waitFor({ state: "detached" });

  await rule("Prices are integers").getByRole("button", { name: "Remove" }).click();
  await rule("Prices are integers").waitFor({ state: "detached" });
  await page.getByText(/^Rule #\d+ removed\.$/).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await rule("Prices are integers").waitFor();
  expect(errors).toEqual([]);
});

test("proposals of the agent are accepted and dropped with one click each", async () => {
  const worker = await callWorker();
  for (const text of ["Use <b>tabs</b>.", "Squash commits.", "Prefer short answers.", "Test with vitest."])
    await worker.post("/api/agent/records", { kind: "rule", text, project: "shop" });
  const { page, errors } = await browser.open(worker);
  const proposals = page.getByRole("region", { name: "Proposals, which no agent gets" });
  await proposals.getByRole("button", { name: "Show all 4" }).click();
  await proposals.getByText("Use <b>tabs</b>.").waitFor();
  await proposals.getByRole("button", { name: "Accept #2" }).click();
  await proposals.getByText("Squash commits.").waitFor({ state: "detached" });
  await proposals.getByRole("button", { name: "Drop #3" }).click();
  await proposals.getByText("Prefer short answers.").waitFor({ state: "detached" });
  const { body } = await worker.get("/api/rules?all=true");
  expect(body).toMatchObject({ rules: [{ id: 2 }], proposals: [{ id: 4 }, { id: 1 }] });
  await page.locator(".feed [data-row]", { hasText: "tabs" }).locator(".mark.proposal").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await proposals.getByText("Test with vitest.").click();
  await page.locator("dl.record-facts", { hasText: /Kind\s*rule.*Kept by\s*the agent/s }).waitFor();
  expect(errors).toEqual([]);
});

test("the project and the sidebar stay as they were chosen", async () => {
  const worker = await callWorker(({ database }) => writeDemo(database, Date.now()));
  const first = await browser.open(worker);
  await first.page.getByLabel("Project").selectOption("orchard-api");
  await first.page.getByRole("heading", { name: "orchard-api" }).waitFor();
  await first.page.getByRole("button", { name: "Hide the sidebar" }).click();
  await expect
    .poll(async () => (await worker.get("/api/settings")).body)
    .toMatchObject({ sidebarOpen: false, selectedProject: "orchard-api" });
  const { page } = await browser.open(worker);
  await page.getByRole("heading", { name: "orchard-api" }).waitFor();
  await page.getByRole("button", { name: "Show the sidebar" }).waitFor();
  expect(await page.locator(".feed [data-row]", { hasText: "Users stay logged in" }).count()).toBe(0);
});

test("back to the feed shows the rows that were left, also after new ones came", async () => {
  const worker = await callWorker(({ database }) => writeMany(database, 330, Date.now()));
  const { page, errors } = await browser.open(worker);
  const main = page.locator("main");
  const row = page.locator(".feed [data-row]", { hasText: "Record 80 " });
  await page.locator(".feed [data-row]").first().waitFor();
  async function scrollOn(): Promise<number> {
    await main.evaluate((element) => element.scrollBy({ top: 600 }));
    return row.count();
  }
  await expect.poll(scrollOn).toBe(1);
  await row.scrollIntoViewIfNeeded();
  const before = await row.boundingBox();
  await row.click();
  await page.getByRole("heading", { name: "Record 80 of" }).waitFor();
  for (const title of ["One more", "And another"]) await record(worker, title);
  await page.goBack();
  await row.waitFor();
  await expect.poll(async () => (await row.boundingBox())?.y).toBe(before?.y);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "Home" }).click();
  await page.locator(".feed [data-row]", { hasText: "And another" }).waitFor();
  expect(await main.evaluate((element) => element.scrollTop)).toBe(0);
  expect(errors).toEqual([]);
});

test("keys edit, pin and delete the focused row, and delete is undone", async () => {
  const worker = await callWorker(({ database }) => writeMany(database, 30, Date.now()));
  const { page, errors } = await browser.open(worker);
  const rows = page.locator(".feed [data-row]");
  const row = rows.filter({ hasText: "Record 28 " });
  await rows.nth(1).focus();
  await page.keyboard.press("p");
  await row.locator(".mark.pinned").waitFor();
  await page.keyboard.press("x");
  await row.waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Record 27 ");
  await page.keyboard.press("u");
  await row.waitFor();
  await page.keyboard.press("?");
  await page.getByText("Delete the focused record").waitFor();
  await page.keyboard.press("Escape");
  await rows.nth(2).focus();
  await page.keyboard.press("e");
  await page.waitForURL(/#\/record\/observation\/28\?edit=1$/);
  expect(errors).toEqual([]);
});
