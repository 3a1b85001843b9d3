// The viewer in a real browser: first paint and scrolling with 50,000 records against few, and the size of its JavaScript.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "../viewer/chromium.mjs";
import { importBundle } from "./bundle.mjs";
import { boundFigure, interleave, ratioFigure, spread } from "./measure.mjs";
import { benchHome, root, startWorker } from "./worker.mjs";

const many = 50_000;
const few = 100;
const rounds = 20;
const turns = 24;
// The first turns fill caches of the browser.
const warmUpTurns = 2;
const framesOfTurn = 30;

export async function run({ say }) {
  const sides = { many: await openSide(many), few: await openSide(few) };
  const browser = await launchBrowser();
  try {
    say(`two workers, with ${many} and ${few} observations`);
    const paints = await interleave(
      { many: () => firstPaint(browser, sides.many.port), few: () => firstPaint(browser, sides.few.port) },
      { rounds },
    );
    const frames = await scrollInTurn({
      many: await openLoaded(browser, sides.many, many, say),
      few: await openLoaded(browser, sides.few, few, say),
    });
    return [
      ratioFigure({
        name: "first paint with 50,000 records / with 100",
        unit: "ms",
        ours: { label: "from the navigation to the first painted record, 50,000", ...paints.many },
        floor: { label: "the same, 100 records", ...paints.few },
        target: "<= 1.5",
      }),
      ratioFigure({
        name: "frame while scrolling 50,000 loaded records / 100",
        unit: "ms",
        ours: { label: "50,000 records in the list", ...frames.many },
        floor: { label: "100 records in the list", ...frames.few },
        by: "p95",
        target: "<= 1.5",
      }),
      boundFigure({
        name: "JavaScript of the viewer, gzipped",
        unit: "kB",
        value: scriptBytes() / 1_000,
        n: 1,
        target: "<= 120",
      }),
    ];
  } finally {
    await browser.close();
    for (const side of Object.values(sides)) await side.close();
  }
}

async function openSide(count) {
  const home = benchHome();
  const { writeMany } = await importBundle(
    "viewer-demo",
    `export { writeMany } from "./test/viewer/demo-data.ts";`,
  );
  writeMany(join(home.dataDir, "mem.db"), count, Date.now());
  const worker = await startWorker(home);
  const close = async () => {
    await worker.kill();
    home.remove();
  };
  return { port: worker.port, close };
}

const row = ".feed [data-row]";

/** Each time in a fresh profile, so that nothing is cached. */
async function firstPaint(browser, port) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: "commit" });
    await page.waitForSelector(row);
    return await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame((now) => setTimeout(() => resolve(now)))),
    );
  } finally {
    await context.close();
  }
}

/** A page with the whole list loaded. */
async function openLoaded(browser, { port }, count, say) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForSelector(row);
  say(`${await page.evaluate(loadAll, count)} records in a list`);
  return page;
}

/** Milliseconds between frames while both lists scroll in turn. */
async function scrollInTurn(pages) {
  const times = { many: [], few: [] };
  const order = Object.entries(pages);
  for (let turn = -warmUpTurns; turn < turns; turn++) {
    order.push(order.shift());
    for (const [name, page] of order) {
      const taken = await page.evaluate(scrollThrough, framesOfTurn);
      if (turn >= 0) times[name].push(...taken);
    }
  }
  return { many: spread(times.many), few: spread(times.few) };
}

async function loadAll(count) {
  const main = document.querySelector("main");
  const size = () => Number(document.querySelector(".feed li")?.getAttribute("aria-setsize"));
  const end = performance.now() + 180_000;
  while (size() < count && performance.now() < end) {
    main.scrollTo({ top: main.scrollHeight });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return size();
}

async function scrollThrough(frames) {
  const main = document.querySelector("main");
  const times = [];
  let before = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < frames; frame++) {
    main.scrollTop = ((frame * 977) % 5_000) + (main.scrollHeight > 20_000 ? main.scrollHeight / 2 : 0);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  return times;
}

function scriptBytes() {
  const folder = join(root, "dist", "viewer", "assets");
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
}
