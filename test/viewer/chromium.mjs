// A real Chromium for tests, benches and screenshots: the one of CHROMIUM_PATH, or the one that npm installed.
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Starts the browser; without one the error names the remedy. */
export async function launchBrowser() {
  try {
    const executablePath = process.env.CHROMIUM_PATH || (await installedChromium());
    // The sandbox needs rights that containers and root do not give; only the worker's own pages are opened.
    return await chromium.launch({ executablePath, chromiumSandbox: false, args: ["--disable-gpu"] });
  } catch (cause) {
    const remedy =
      "set CHROMIUM_PATH to the program of a Chromium or Chrome, or run `npm install` on Linux x64";
    throw new Error(`No Chromium for the viewer: ${remedy}.`, { cause });
  }
}

// The package would unpack into the temporary directory at each run; beside the packages once is enough.
async function installedChromium() {
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const folder = entry.slice(0, entry.lastIndexOf("build"));
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
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
