// Texts that try to run a script, on the pages of sessions, context and status, and on the TV.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { createInjectionLog } from "../../src/store/sqlite/injections.ts";
import { callWorker } from "../helpers/called-worker.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";
import { testBrowser } from "./browser.ts";
import { foreignParts } from "./foreign-parts.ts";
import { payloads } from "./payloads.ts";

const browser = testBrowser();

const perSession = 15;
const sessions = payloads.length / perSession;
const now = Date.now();

/** Each payload as prompt, observation, summary, and injected text with its cause; a payload names each session. */
function writeSessions(database: string): void {
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const memory = createMemoryStore(database);
  try {
    for (let index = 0; index < sessions; index++)
      writeSession(memory, payloads.slice(index * perSession, (index + 1) * perSession));
  } finally {
    memory.close();
  }
}

function writeSession({ db, store, addPrompt, addObservation, addSummary }: MemoryStore, texts: string[]) {
  const [first = ""] = texts;
  const log = createInjectionLog(db);
  const place = { project: first, session: first, at: now };
  store.sessions.insert({
    claude_session_id: first,
    sdk_session_id: `sdk ${first}`,
    project: first,
    host: first,
    cwd: first,
    now,
  });
  for (const text of texts) {
    addPrompt(text, place);
    const { id } = addObservation({ ...place, title: text, subtitle: `- ${text}`, summary: text });
    addSummary({ ...place, request: text, learned: text, next_steps: text });
    const records = [{ kind: "observation" as const, id }];
    for (const reader of ["", first])
      for (const moment of ["prompt", "file", "command"] as const)
        log.add({ session: first, reader }, { moment, cause: text, text, tokens: 9, records }, now);
  }
}

test("no payload is more than text on the pages of sessions, context, status and TV", async () => {
  const worker = await callWorker(({ database }) => writeSessions(database));
  const opened = await browser.open(worker, "#/sessions");
  const { page, show, errors, foreign, dialogs } = opened;
  const found: string[] = [];
  async function look(where: string): Promise<void> {
    found.push(...(await foreignParts(opened)).map((part) => `${where}: ${part}`));
  }
  await page
    .locator("[data-row]")
    .nth(sessions - 1)
    .waitFor();
  await look("sessions");
  for (let id = 1; id <= sessions; id++) {
    await show(`#/session/${id}`);
    const [first = "", ...others] = payloads.slice((id - 1) * perSession, id * perSession);
    await page.locator(".session-head h1", { hasText: first }).waitFor();
    await page.locator(".sub-agent").waitFor();
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    expect(await page.locator("main").textContent()).toContain(others.at(-1));
    await look(`session ${id}`);
    const asked = new URLSearchParams({ project: first, prompt: first, file: first, command: first });
    await show(`#/context?${asked}`);
    await page.locator(".moment").first().waitFor();
    await look(`context ${first}`);
  }
  await show("#/status");
  await page.locator(".chart").first().waitFor();
  await look("status");
  for (let id = 0; id < sessions; id++) {
    const asked = new URLSearchParams({ project: payloads[id * perSession] ?? "" });
    await page.goto(`http://127.0.0.1:${worker.port}/tv?${asked}`);
    await page
      .locator(".board li")
      .nth(perSession - 1)
      .waitFor();
    await look(`TV ${id}`);
  }
  expect(found).toEqual([]);
  expect([...foreign, ...dialogs, ...errors]).toEqual([]);
});
