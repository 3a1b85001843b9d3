// The status and settings pages in a browser, on a real worker.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { callWorker } from "../helpers/called-worker.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { testBrowser } from "./browser.ts";

const browser = testBrowser();

/** Two messages whose tries are used up. */
function writeFailed(database: string): void {
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const { db, store, addPrompt, close } = createMemoryStore(database);
  addPrompt("Fix the login", { project: "shop", session: "s1" });
  for (const event_key of ["one", "two"]) {
    const payload = JSON.stringify({ tool_name: "Bash", tool_input: {}, tool_response: "" });
    const at = { session_id: 1, now: Date.now() };
    const id = store.rawEvents.insert({ ...at, kind: "observation", event_key, payload }) ?? 0;
    store.pending.enqueue(id, 1, at.now);
  }
  db.exec("update pending_messages set status = 'dead', failures = 3, last_error = 'no such model'");
  close();
}

test("failed messages are a problem with its commands, and can be retried or dropped", async () => {
  const worker = await callWorker(({ database }) => writeFailed(database));
  const { page, errors } = await browser.open(worker, "#/status");
  const queue = page.locator(".check-row", { hasText: "Queue" });
  await queue.filter({ hasText: "2 messages failed" }).waitFor();
  expect(await queue.locator(".check-state").innerText()).toContain("Problem");
  expect(await queue.locator("code").allInnerTexts()).toContain("mem queue retry");
  await page.getByText("no such model").first().waitFor();
  await page.getByRole("button", { name: /^Drop message 1 / }).click();
  await queue.filter({ hasText: "1 message failed" }).waitFor();
  await page.getByRole("button", { name: "Retry all" }).click();
  await page.locator(".check-row.ok", { hasText: "Queue empty" }).waitFor();
  expect(errors).toEqual([]);
});

test("green means checked: without the worker nothing is OK", async () => {
  const worker = await callWorker();
  const { page } = await browser.open(worker, "#/status");
  await page.getByText("What was checked works.").waitFor();
  const hosts = page.locator(".check-row", { hasText: "Hosts" });
  expect(await hosts.locator(".check-state").innerText()).toContain("Not known");
  expect(await page.locator(".check-row.ok").count()).toBeGreaterThan(2);
  await worker.stop();
  await page.getByText("Not known now.").waitFor();
  expect(await page.locator(".check-row.ok").count()).toBe(0);
  await page.getByText("mem worker start").first().waitFor();
});

test("settings show value, origin and the command; never a secret", async () => {
  const secret = "sk-canary-5d1f09a7";
  const worker = await callWorker(undefined, { MEM_SECONDARY_API_KEY: secret });
  const { page, errors } = await browser.open(worker, "#/settings");
  const settings = page.locator(".setting");
  const key = settings.filter({ hasText: "MEM_SECONDARY_API_KEY" });
  await key.filter({ hasText: "set, hidden" }).waitFor();
  await key.filter({ hasText: "environment" }).waitFor();
  expect(await page.content()).not.toContain(secret);
  const topics = page.locator(".settings-topic h3");
  expect(await topics.allInnerTexts()).toEqual([
    "Model and providers",
    "Spending",
    "Injected context",
    "What is recorded",
    "Search by meaning",
    "Worker and TV",
    "Sync",
    "Other",
  ]);
  await page.getByLabel("Find a setting").fill("MEM_CONTEXT_OBSERVATIONS");
  await settings.nth(1).waitFor({ state: "detached" });
  expect(await settings.innerText()).toContain("mem settings set MEM_CONTEXT_OBSERVATIONS <value>");
  await page.getByLabel("Find a setting").fill("");
  await page.getByLabel(/^Only changed/).check();
  await settings.filter({ hasText: "MEM_MODEL" }).waitFor({ state: "detached" });
  await page.getByLabel("Show the sidebar").uncheck();
  await page.locator(".sidebar").waitFor({ state: "hidden" });
  expect(errors).toEqual([]);
});

test("the version is shown, and a checkout that is behind is updated after a question", async () => {
  const worker = await callWorker();
  const { page, errors, show } = await browser.open(worker, "#/");
  const real = (await worker.get("/api/branch/status")).body as { version: string };
  await show("#/status");
  const section = page.locator(".version");
  await section.getByText(`mem ${real.version}`).waitFor();
  // Git's remote is outside of this machine.
  let updates = 0;
  const behind = {
    installed: "checkout",
    version: "1.2.3",
    current: "main",
    remote: "origin/main",
    ahead: 0,
  };
  await page.route("**/api/branch/status", (route) =>
    route.fulfill({ json: { ...behind, behind: updates === 0 ? 2 : 0, update: "git pull --ff-only" } }),
  );
  await page.route("**/api/branch/update", (route) => {
    updates += 1;
    return route.fulfill({ json: { success: true, updated: true, next: "npm run build" } });
  });
  await show("#/");
  await show("#/status");
  await section.getByText("on main, 2 commits behind origin/main.").waitFor();
  await section.getByRole("button", { name: "Update…" }).click();
  expect(updates).toBe(0);
  await section.getByRole("button", { name: "Update", exact: true }).click();
  await section.getByText("level with origin/main").waitFor();
  await section.getByText("npm run build").waitFor();
  expect(updates).toBe(1);
  expect(errors).toEqual([]);
});
