// The pages of sessions in a browser, on a real worker: the list, the timeline, the injected context.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { Reads } from "../../src/viewer/api.ts";
import { type CalledWorker, callWorker } from "../helpers/called-worker.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { seriousFindings, testBrowser } from "./browser.ts";
import { injectedSession, sendInjectedSession, subAgent } from "./injected-session.ts";

const browser = testBrowser();

type Injections = Reads[`/api/sessions/${number}/injections`];

async function injectedWorker(): Promise<{ worker: CalledWorker; id: number; injected: Injections }> {
  const worker = await callWorker();
  await sendInjectedSession(worker);
  const { items } = (await worker.get("/sessions")).body as Reads["/sessions"];
  const id = items.find((session) => session.claude_session_id === injectedSession)?.id ?? 0;
  return { worker, id, injected: (await worker.get(`/api/sessions/${id}/injections`)).body as Injections };
}

test("a session shows its injected context: when, why, at what cost", async () => {
  const { worker, id, injected } = await injectedWorker();
  const { page, errors, foreign } = await browser.open(worker, "#/sessions");
  await page.locator(`[data-row][data-id="${id}"]`).click();
  const totals = page.locator(".injected-totals");
  await totals.getByText(`${injected.totals?.tokens} tokens`).waitFor();
  const main = page.locator("section > .session-timeline > li");
  const heads = await main.locator(".injected-head strong").allInnerTexts();
  expect(heads).toEqual(["at the start", "with prompt 1", "before it opened src/auth/session.ts"]);
  const ofMain = injected.items.filter(({ reader }) => reader === "");
  expect(await main.locator(".injected-tokens").allInnerTexts()).toEqual(
    ofMain.map(({ tokens }) => `${tokens} tokens`),
  );
  const start = main.filter({ hasText: "at the start" });
  expect(await start.locator(".injected-records a").count()).toBe(ofMain[0]?.records.length);
  await start.getByText("Records in it, as they are now:").waitFor();
  const record = ofMain[0]?.records[0];
  expect(await start.locator(".injected-records a").first().innerText()).toContain(`#${record?.id}`);
  await main.filter({ hasText: "before it opened" }).getByText("about this file").first().waitFor();
  await main
    .filter({ hasText: "with prompt 1" })
    .getByText(/^fits the prompt: /)
    .first()
    .waitFor();
  await start.getByRole("link", { name: "What a session start gets today" }).waitFor();
  const text = start.locator("pre");
  expect(await text.isVisible()).toBe(false);
  await start.locator("summary").click();
  expect(await text.textContent()).toBe(ofMain[0]?.text);
  const agent = page.locator(".sub-agent");
  expect(await agent.innerText()).toContain(subAgent);
  await agent.locator("summary").first().click();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Work" }).click();
  await start.waitFor({ state: "detached" });
  expect(await main.filter({ hasText: "Prompt 1" }).count()).toBe(1);
  expect([...errors, ...foreign]).toEqual([]);
});

test("a long session shows its first injected texts, and more on demand", async () => {
  const worker = await callWorker(({ database }) => writeInjections(database, 450));
  const { page, errors } = await browser.open(worker, "#/session/1");
  await page.getByText("900 tokens").waitFor();
  await page.getByText("at 450 moments").waitFor();
  const cards = page.locator(".injected-card");
  const after = page.locator(".timeline-row", { hasText: "After all of them" });
  for (const shown of [200, 400, 450]) {
    await expect.poll(() => cards.count()).toBe(shown);
    expect(await after.count()).toBe(shown === 450 ? 1 : 0);
    if (shown < 450) await page.getByRole("button", { name: "Show more" }).click();
  }
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  expect(errors).toEqual([]);
});

function writeInjections(database: string, count: number): void {
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const memory = createMemoryStore(database);
  memory.addPrompt("Fix the login", { session: "s1", at: 1_000 });
  for (let at = 1; at <= count; at += 1) {
    const injected = { moment: "file", cause: `src/${at}.ts`, text: "t", tokens: 2, records: [] } as const;
    memory.store.injections.add({ session: "s1", reader: "" }, injected, 1_000 + at);
  }
  memory.addObservation({ title: "After all of them", session: "s1", at: 2_000 });
  memory.close();
}

test("a session without injected context says why", async () => {
  const worker = await callWorker();
  await worker.post("/api/sessions/init", { claudeSessionId: "alone", project: "shop", prompt: "Hello" });
  const { page, show } = await browser.open(worker, "#/session/1");
  await page.getByText("Nothing was injected into this session.").waitFor();
  await page.locator(".timeline-card.prompt", { hasText: "Hello" }).waitFor();
  await show("#/session/99");
  await page.getByRole("heading", { name: "There is no session 99" }).waitFor();
});

test("a session is renamed, deleted with its records, and restored", async () => {
  const worker = await callWorker();
  await worker.post("/api/sessions/init", {
    claudeSessionId: "s1",
    project: "shop",
    prompt: "Fix the login",
  });
  const { page, errors } = await browser.open(worker, "#/session/1");
  await page.getByRole("heading", { name: "Fix the login" }).waitFor();
  await page.keyboard.press("e");
  await page.getByLabel("Title of the session").fill("Login work");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Login work" }).waitFor();
  await page.keyboard.press("u");
  await page.getByRole("heading", { name: "Fix the login" }).waitFor();
  await page.keyboard.press("x");
  await page.getByText("No session yet.").waitFor();
  expect((await worker.get("/api/session/1")).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("[data-row]", { hasText: "Fix the login" }).waitFor();
  expect(errors).toEqual([]);
});

test("what happens in a session appears without a reload", async () => {
  const worker = await callWorker();
  const session = { claudeSessionId: "s1", project: "shop" };
  await worker.post("/api/sessions/init", { ...session, prompt: "Fix the login" });
  const { page } = await browser.open(worker, "#/session/1");
  await page.locator(".timeline-card.prompt").waitFor();
  await worker.post("/observations", {
    ...session,
    title: "The cookie is signed",
    summary: "With a secret.",
  });
  await page.locator(".timeline-row", { hasText: "The cookie is signed" }).waitFor();
});
