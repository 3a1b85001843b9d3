// Loads a mode by name: the user's file before the shipped one, an overlay merged into its parent.
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { dataPaths, packageFile } from "../../core/paths.ts";
import type { Mode } from "../../core/records/mode.ts";
import {
  checkWholeMode,
  type OverlayFile,
  parseOverlay,
  parseWholeMode,
  type WholeModeFile,
} from "./mode-file.ts";

export interface ModeSource {
  /** Contains the user's modes in `modes/`; without it only shipped modes are known. */
  dataDir?: string | undefined;
}

/** The mode to use if none is set, or the set one is unusable. */
const standardMode = "code";

/**
 * The mode `name`; `parent--child` is the parent with the overrides of `parent--child.json` (one level). Throws
 * `mode_unknown`, or `mode_invalid` with file, field and expectation.
 */
export function loadMode(name: string, source: ModeSource = {}): Mode {
  if (!modeName.test(name)) throw unknown(name, source);
  const own = findFile(name, source) ?? missing(name, source);
  const [parentName = name, ...children] = name.split("--");
  if (children.length === 0) return { name, ...parseWholeMode(own, readMode(own)) };
  const parent = findFile(parentName, source) ?? missing(parentName, source);
  const merged = overlaid(parseWholeMode(parent, readMode(parent)), parseOverlay(own, readMode(own)));
  return { name, ...checkWholeMode(own, merged) };
}

/** The mode `name`; if it is unknown or invalid, the standard mode and a sentence for the log. */
export function loadActiveMode(name: string, source: ModeSource = {}): { mode: Mode; warnings: string[] } {
  try {
    return { mode: loadMode(name, source), warnings: [] };
  } catch (error) {
    if (!(error instanceof MemError)) throw error;
    const warning = `MEM_MODE cannot be used, ${standardMode} is used instead: ${error.message}`;
    return { mode: loadMode(standardMode), warnings: [warning] };
  }
}

export interface ListedMode {
  name: string;
  title: string;
  description: string;
  language: string;
  source: "own" | "shipped";
  path: string;
  /** The problem. */
  problem: string | null;
}

/** All modes by name, invalid ones with the problem. */
export function listModes(source: ModeSource = {}): ListedMode[] {
  const names = new Set(foldersOf(source).flatMap(({ folder }) => namesIn(folder)));
  return [...names].sort().map((name) => listed(name, source));
}

// As in MEM_MODE; at most one `--`, between parent and overlay.
const modeName = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:--[a-z0-9]+(?:-[a-z0-9]+)*)?$/;

// Shipped modes have 4 kB; a far larger file is not a mode.
const maxBytes = 128 * 1024;

function overlaid(parent: WholeModeFile, child: OverlayFile): object {
  return {
    ...parent,
    ...child,
    types: withWords(parent.types, child.types),
    concepts: withWords(parent.concepts, child.concepts),
    summary: { ...parent.summary, ...child.summary },
  };
}

// A word with a known id replaces that word; others are added.
function withWords(
  words: readonly { id: string }[],
  changes: readonly { id: string }[] = [],
): readonly object[] {
  const byId = new Map<string, object>(words.map((word) => [word.id, word]));
  for (const change of changes) byId.set(change.id, { ...byId.get(change.id), ...change });
  return [...byId.values()];
}

function foldersOf({ dataDir }: ModeSource): { folder: string; source: "own" | "shipped" }[] {
  const shipped = { folder: packageFile("templates", "modes"), source: "shipped" as const };
  return dataDir === undefined ? [shipped] : [{ folder: dataPaths(dataDir).modes, source: "own" }, shipped];
}

function findFile(name: string, source: ModeSource): string | undefined {
  const paths = foldersOf(source).map(({ folder }) => join(folder, `${name}.json`));
  return paths.find((path) => unlessMissing(() => lstatSync(path)) !== undefined);
}

function readMode(path: string): string {
  const reason = (what: string, cause?: unknown) =>
    new MemError("mode_invalid", { message: `${path}: ${what}.`, details: { path }, cause });
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw reason("it is no file");
    if (stats.size > maxBytes) throw reason(`it is larger than ${maxBytes / 1024} kB`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw cause instanceof MemError ? cause : reason("it cannot be read", cause);
  }
}

function namesIn(folder: string): string[] {
  const files = failOpenSync("look for modes", () => (isThere(folder) ? readdirSync(folder) : [])) ?? [];
  return files.flatMap((file) => {
    const name = /^(.{1,100})\.json$/.exec(file)?.[1] ?? "";
    return modeName.test(name) ? [name] : [];
  });
}

function isThere(folder: string): boolean {
  return unlessMissing(() => statSync(folder)) !== undefined;
}

function listed(name: string, source: ModeSource): ListedMode {
  const path = findFile(name, source) ?? "";
  const where = {
    name,
    path,
    source: path.startsWith(packageFile("templates", "modes")) ? ("shipped" as const) : ("own" as const),
  };
  try {
    const { title, description, language } = loadMode(name, source);
    return { ...where, title, description, language, problem: null };
  } catch (error) {
    if (!(error instanceof MemError)) throw error;
    return { ...where, title: name, description: "", language: "", problem: error.message };
  }
}

function missing(name: string, source: ModeSource): never {
  throw unknown(name, source);
}

function unknown(name: string, source: ModeSource): MemError {
  const shown = name.slice(0, 100);
  const near = [...new Set(foldersOf(source).flatMap(({ folder }) => namesIn(folder)))]
    .filter((known) => shown !== "" && (known.startsWith(shown.slice(0, 4)) || known.endsWith(`--${shown}`)))
    .sort()
    .slice(0, 3);
  return new MemError("mode_unknown", {
    message: `There is no mode ${JSON.stringify(shown)}.`,
    ...(near.length === 0
      ? {}
      : { hint: `Did you mean ${near.join(" or ")}? \`mem mode list\` shows them all.` }),
  });
}
