// Pages of the viewer for tests: a fresh profile each, and what goes wrong in them.
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, onTestFinished } from "vitest";
import { type CalledWorker, callWorker, sharedWorker } from "../helpers/called-worker.ts";
import { patienceMs } from "../helpers/eventually.ts";
import type { WorkerHome } from "../helpers/worker-process.ts";
import { launchBrowser } from "./chromium.mjs";
import { writeDemo } from "./demo-data.ts";

/** What a page did that it must not do, or that went wrong in it. */
interface Observed {
  /** Errors of scripts, and violations of the policy. */
  errors: string[];
  /** Requests to another origin. */
  foreign: string[];
  /** Texts of dialogs, which only a foreign script opens. */
  dialogs: string[];
}

export interface OpenPage extends Observed {
  page: Page;
  /** Shows another page of the viewer. */
  show(link: string): Promise<void>;
}

// One for all files of a test process: a start costs 1.5 s of processor time. It ends with the process.
let started: Promise<Browser> | undefined;

async function theBrowser(): Promise<Browser> {
  if (started !== undefined && !(await started).isConnected()) started = undefined;
  started ??= launchBrowser();
  return started;
}

/** A browser for the tests of a file. `open` gives a fresh profile whose only origin is the worker's. */
export function testBrowser() {
  beforeAll(theBrowser);
  return {
    async open(worker: CalledWorker, link = "#/", options: BrowserContextOptions = {}): Promise<OpenPage> {
      const browser = await theBrowser();
      const origin = `http://127.0.0.1:${worker.port}`;
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        locale: "en-US",
        ...options,
      });
      onTestFinished(() => context.close());
      // A wait that never ends names what it waited for, before the test runs out of time.
      context.setDefaultTimeout(patienceMs);
      const page = await context.newPage();
      const observed = observe(page, origin);
      await page.goto(`${origin}/${link}`);
      return { page, ...observed, show: (next) => showPage(page, next) };
    },
  };
}

/** A browser on workers with the demo: a shared one for tests that store nothing, an own one for the others. */
export function demoBrowser() {
  const browser = testBrowser();
  const write = ({ database }: WorkerHome) => writeDemo(database, Date.now());
  const demo = sharedWorker(write);
  return {
    browser,
    openShared: async (link: string): Promise<OpenPage> => browser.open(await demo(), link),
    async openDemo(link: string): Promise<OpenPage & { worker: CalledWorker }> {
      const worker = await callWorker(write);
      return { ...(await browser.open(worker, link)), worker };
    },
  };
}

async function showPage(page: Page, link: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, link);
}

/** Serious and critical findings of axe, of all its rules or of these, with their places. */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  // The source is half a megabyte, and a page keeps it while only its hash changes.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // Only places of violations are computed and sent here, not of rules that pass.
  const violations = await page.evaluate(async (only) => {
    const options = { resultTypes: ["violations" as const] };
    return (await window.axe.run(only === undefined ? options : { ...options, runOnly: only })).violations;
  }, rules);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

/**
 * Titles of the rows in the document, by steps to the end of the feed; a page that is being read is waited for. The rows
 * beyond the screen make two screens a step that misses none.
 */
export async function* screensOf(page: Page): AsyncGenerator<string[]> {
  for (;;) {
    await page.locator(".feed .loading").waitFor({ state: "detached" });
    yield page.locator(".feed .row-title").allTextContents();
    const isMoved = await page.locator("main").evaluate((main) => {
      const before = main.scrollTop;
      main.scrollBy({ top: 2 * main.clientHeight });
      return new Promise<boolean>((resolve) =>
        requestAnimationFrame(() => setTimeout(() => resolve(main.scrollTop > before))),
      );
    });
    if (!isMoved && (await page.locator(".feed .loading").count()) === 0) return;
  }
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

function observe(page: Page, origin: string): Observed {
  const observed: Observed = { errors: [], foreign: [], dialogs: [] };
  page.on("pageerror", (error) => observed.errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") observed.errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    observed.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) observed.foreign.push(request.url());
  });
  return observed;
}
