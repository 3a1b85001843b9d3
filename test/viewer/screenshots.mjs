// `node test/viewer/screenshots.mjs [folder]`: pictures of the viewer with demo data. The first one is in docs/ and the README.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { importBundle } from "../bench/bundle.mjs";
import { benchHome, root, startWorker } from "../bench/worker.mjs";
import { launchBrowser } from "./chromium.mjs";

const folder = process.argv[2] ?? join(root, "docs");
const onlyFirst = process.argv[2] === undefined;

const { writeDemo } = await importBundle(
  "viewer-demo",
  `export { writeDemo } from "./test/viewer/demo-data.ts";`,
);

const pictures = [
  { name: "viewer", link: "#/", width: 1280, height: 860 },
  { name: "home-dark", link: "#/", theme: "dark", width: 1280, height: 860 },
  { name: "home-phone", link: "#/", width: 360, height: 740 },
  {
    name: "sidebar-phone",
    link: "#/",
    width: 360,
    height: 740,
    act: (page) => page.click("header .icon-button"),
  },
  { name: "search", link: "#/search?q=session+secret", width: 1280, height: 860 },
  { name: "search-dark-phone", link: "#/search?q=session", theme: "dark", width: 360, height: 740 },
  { name: "record", link: "#/record/observation/9", width: 1280, height: 1100 },
  { name: "record-dark", link: "#/record/observation/9", theme: "dark", width: 1280, height: 1100 },
  { name: "record-phone", link: "#/record/observation/9", width: 360, height: 1400 },
  { name: "edit", link: "#/record/observation/9?edit=1", width: 1280, height: 900 },
  { name: "summary", link: "#/record/summary/2", width: 1280, height: 900 },
  { name: "trash", link: "#/trash", width: 1280, height: 500, act: deleteOne },
  { name: "help", link: "#/", width: 1280, height: 800, act: (page) => page.keyboard.press("?") },
];

async function deleteOne(page) {
  await page.goto(page.url().replace("#/trash", "#/record/observation/12"));
  await page.click("button.danger");
  await page.waitForSelector(".toast");
  await page.goto(page.url().replace(/#.*/, "#/trash"));
  await page.waitForSelector(".trash-row");
}

const home = benchHome();
mkdirSync(folder, { recursive: true });
writeDemo(join(home.dataDir, "mem.db"), Date.now());
const worker = await startWorker(home);
const browser = await launchBrowser();
try {
  for (const { name, link, theme = "light", width, height, act } of pictures.slice(
    0,
    onlyFirst ? 1 : undefined,
  )) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${worker.port}/${link}`);
    await page.waitForSelector("main h1");
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await act?.(page);
    await page.waitForTimeout(300);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    console.log(path);
    await context.close();
  }
} finally {
  await browser.close();
  await worker.kill();
  home.remove();
}
