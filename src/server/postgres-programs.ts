// Which files PostgreSQL runs from: npm's own, or a copy where the user it runs as cannot reach those.
import { createHash } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import { makeDirectories } from "../core/directory.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";

/** The user that root lends to PostgreSQL. */
export interface LentUser {
  name: string;
  uid: number;
  gid: number;
}

interface Wanted {
  /** The directory that holds `bin`, `lib` and `share`. */
  native: string;
  /** Names the copy, beside a hash of its contents. */
  version: string;
  user: LentUser;
  /** The directory that copies are made in; root's, and open to everybody for reading. */
  copies?: string;
  clock?: Clock;
}

const copyPrefix = "postgresql-";
const unfinishedPrefix = ".unfinished-";
// A copy that another process made a moment ago may not run yet.
const unusedAfterMs = 60 * 60_000;

/**
 * The directory that holds `bin`, `lib` and `share` for `user`: `native` itself where the user can read all of it, else a
 * copy that has the same bytes. A damaged copy is replaced. Throws `storage_failed` with what stands in the user's way.
 */
export function reachablePrograms(wanted: Wanted): string {
  const { native, version, user, copies = "/var/lib/agent-mem", clock = systemClock } = wanted;
  const entries = entriesOf(native);
  const barrier = barrierTo(native, user) ?? barrierInside(native, entries, user);
  if (barrier === undefined) return native;
  try {
    const copy = copyOf({ native, entries, version, copies, clock });
    const stillClosed = barrierTo(copy, user);
    if (stillClosed !== undefined) throw new Error(stillClosed);
    return copy;
  } catch (cause) {
    throw new MemError("storage_failed", {
      message: `${barrier} PostgreSQL's programs could not be copied to ${copies} either${reasonOf(cause)}.`,
      hint: `Install mem where ${user.name} can read it, make ${copies} writable, or set MEM_DATABASE_URL.`,
      cause,
    });
  }
}

/**
 * Which directory on the way to `path`, or `path` itself, keeps the user out, as a sentence; undefined when none does.
 * Directories must let the user pass and be read, programs must let it run them.
 */
export function barrierTo(path: string, user: LentUser): string | undefined {
  for (const above of ancestorsOf(path)) {
    if (!may(statSync(above), user, 0o1)) return sentenceOf(above, user, path);
  }
  const found = statSync(path);
  if (may(found, user, found.isDirectory() || (found.mode & 0o111) !== 0 ? 0o5 : 0o4)) return undefined;
  return sentenceOf(path, user, path);
}

function ancestorsOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...ancestorsOf(above), above];
}

function may({ uid, gid, mode }: Stats, user: LentUser, wanted: number): boolean {
  const bits = uid === user.uid ? mode >> 6 : gid === user.gid ? mode >> 3 : mode;
  return (bits & wanted) === wanted;
}

function sentenceOf(barrier: string, { name, uid }: LentUser, path: string): string {
  const mode = (statSync(barrier).mode & 0o7777).toString(8);
  return `PostgreSQL runs as the user ${name} (uid ${uid}), and ${barrier} (mode ${mode}) does not let that user in${barrier === path ? "" : ` to ${path}`}.`;
}

interface Entry {
  /** Below the directory that was read. */
  path: string;
  is: "directory" | "file" | "link";
  isProgram: boolean;
}

function entriesOf(root: string): Entry[] {
  const entries: Entry[] = [];
  const read = (below: string): void => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const path = join(below, name);
      const found = lstatSync(join(root, path));
      const is = found.isDirectory() ? "directory" : found.isSymbolicLink() ? "link" : "file";
      // npm may have unpacked them without the right to run them.
      const isProgram = is === "file" && ((found.mode & 0o111) !== 0 || below === "bin");
      entries.push({ path, is, isProgram });
      if (is === "directory") read(path);
    }
  };
  read("");
  return entries;
}

function barrierInside(root: string, entries: readonly Entry[], user: LentUser): string | undefined {
  for (const { path, is, isProgram } of entries) {
    const whole = join(root, path);
    if (is !== "link" && !may(statSync(whole), user, is === "directory" || isProgram ? 0o5 : 0o4)) {
      return sentenceOf(whole, user, whole);
    }
  }
  return undefined;
}

interface Copied {
  native: string;
  entries: readonly Entry[];
  version: string;
  copies: string;
  clock: Clock;
}

// Named by its contents: two installations of one version share it, and a build of its own never runs another one's.
function copyOf({ native, entries, version, copies, clock }: Copied): string {
  const contents = hashOf(native, entries);
  const place = join(copies, `${copyPrefix}${version}-${contents.slice(0, 16)}`);
  makeDirectories(copies, 0o711);
  demandRootOwned(copies);
  // The umask may have closed it.
  chmodSync(copies, (lstatSync(copies).mode & 0o777) | 0o111);
  if (isWhole(place, contents)) return place;
  const made = join(copies, `${unfinishedPrefix}${newId()}`);
  try {
    writeCopy(native, entries, made);
    if (!isWhole(made, contents)) throw new Error("the copy differs from its source");
    moveInto(made, place, contents);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  failOpenSync("removing unused copies of PostgreSQL", () =>
    removeUnused(copies, { used: place, now: clock.now() }),
  );
  return place;
}

function demandRootOwned(path: string): void {
  const { uid, mode } = lstatSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${path} is not root's alone to write`);
}

function hashOf(root: string, entries: readonly Entry[]): string {
  const hash = createHash("sha256");
  for (const { path, is } of entries) {
    const whole = join(root, path);
    const bytes = is === "file" ? readFileSync(whole) : Buffer.from(is === "link" ? readlinkSync(whole) : "");
    hash.update(JSON.stringify([path, is, bytes.length])).update(bytes);
  }
  return hash.digest("hex");
}

// Read before anything of it is run: a user who could change it could run code as the owner of the memory.
function isWhole(place: string, contents: string): boolean {
  if (!existsSync(place)) return false;
  const entries = entriesOf(place);
  for (const each of [{ path: "", is: "directory" }, ...entries]) {
    const { uid, mode } = lstatSync(join(place, each.path));
    if (uid !== 0 || (each.is !== "link" && (mode & 0o022) !== 0)) return false;
    if (each.is === "directory" && (mode & 0o055) !== 0o055) return false;
  }
  return hashOf(place, entries) === contents;
}

function writeCopy(native: string, entries: readonly Entry[], made: string): void {
  mkdirSync(made, { mode: 0o755 });
  chmodSync(made, 0o755);
  for (const { path, is, isProgram } of entries) {
    const [from, to] = [join(native, path), join(made, path)];
    if (is === "link") symlinkSync(readlinkSync(from), to);
    else if (is === "directory") mkdirSync(to);
    else copyFileSync(from, to, constants.COPYFILE_FICLONE);
    // Whatever the umask and the source say.
    if (is !== "link") chmodSync(to, is === "directory" || isProgram ? 0o755 : 0o644);
  }
}

function moveInto(made: string, place: string, contents: string): void {
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      renameSync(made, place);
      return;
    } catch (cause) {
      if (!existsSync(place)) throw cause;
    }
    // Another process was faster, or it is damaged.
    if (isWhole(place, contents)) return;
    const aside = `${made}-damaged`;
    renameSync(place, aside);
    rmSync(aside, { recursive: true, force: true });
  }
  throw new Error(`${place} is in the way`);
}

// Those of versions that are gone. Which of them still run, only /proc tells; without it they stay.
function removeUnused(copies: string, { used, now }: { used: string; now: number }): void {
  const running = runningPrograms();
  if (running === undefined) return;
  for (const name of readdirSync(copies)) {
    const copy = join(copies, name);
    const isOurs = name.startsWith(copyPrefix) || name.startsWith(unfinishedPrefix);
    if (!isOurs || name === basename(used) || now - lstatSync(copy).ctimeMs < unusedAfterMs) continue;
    if (running.some((program) => program.startsWith(`${copy}/`))) continue;
    rmSync(copy, { recursive: true, force: true });
  }
}

function runningPrograms(): string[] | undefined {
  if (!existsSync("/proc/self/exe")) return undefined;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/exe`);
      } catch {
        // It has ended, or is the kernel's own.
        return [];
      }
    });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `: ${cause.message}` : "";
}
