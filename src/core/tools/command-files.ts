// Finds the files that simple commands read and write.

import { editsInPlace, gitVerb } from "./command-kind.ts";
import { joinPath, type Segment } from "./command-line.ts";
import { setOf } from "./name-lists.ts";

/** The files as named, with patterns and variables. */
export function commandFiles(segments: readonly Segment[]): { read: string[]; written: string[] } {
  const read: string[] = [];
  const written: string[] = [];
  for (const segment of segments) {
    const at = (path: string) => joinPath(segment.directory, path);
    written.push(...segment.writes.map(at), ...filesWritten(segment).map(at));
    read.push(...readBy(segment).map(at));
  }
  return { read, written };
}

/** The files whose content simple commands print, as named. Without patterns, variables and devices. */
export function filesShown(segments: readonly Segment[]): string[] {
  const shown = segments.flatMap((segment) =>
    shownBy(segment)
      .filter((path) => isFileName(path))
      .map((path) => joinPath(segment.directory, path)),
  );
  return [...new Set(shown)];
}

function shownBy(segment: Segment): string[] {
  const { program, words } = segment;
  if (searchers.has(program)) {
    const given = operands(segment, searchOptions);
    const files = words.some((word) => givesPattern.has(word)) ? given : given.slice(1);
    // An operand of a search is as often a folder.
    return files.filter((path) => /[^/]\.\w{1,8}$/.test(path));
  }
  if (!showers.has(program)) return [];
  return showOptions.has(program) ? operands(segment, showOptions.get(program)) : readBy(segment);
}

function isFileName(path: string): boolean {
  return /^[^-+~*?[\]{}$`<>|\n][^*?[\]{}$`<>|\n]{0,400}$/.test(path) && !/^\/(?:dev|proc)\//.test(path);
}

/** The words that are neither options nor their values. */
function operands(
  { words }: Pick<Segment, "words">,
  valueOptions: ReadonlySet<string> = new Set(),
): string[] {
  const kept: string[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (valueOptions.has(word)) index += 1;
    else if (!word.startsWith("-") || word === "-") kept.push(word);
  }
  return kept;
}

/** The files that a simple command changes, as it names them. */
export function filesWritten(segment: Segment): string[] {
  const files = operands(segment);
  if (writers.has(segment.program)) return files.slice(writers.get(segment.program));
  if (segment.program === "sed") return editsInPlace(segment) ? sedFiles(segment) : [];
  return segment.program === "git" && gitMoves.has(gitVerb(segment.words)) ? files.slice(1) : [];
}

function readBy(segment: Segment): string[] {
  const { program } = segment;
  if (program === "cp") return operands(segment).slice(0, -1);
  if (!readers.has(program)) return [];
  if (program === "head" || program === "tail") return operands(segment, lineCounts);
  if (program === "sed") return editsInPlace(segment) ? [] : sedFiles(segment);
  return scripted.has(program) ? operands(segment).slice(1) : operands(segment);
}

function sedFiles(segment: Segment): string[] {
  return segment.words.includes("-e") ? operands(segment, sedScripts) : operands(segment).slice(1);
}

/** The position of the changed files among the operands. */
const writers: ReadonlyMap<string, number> = new Map([
  ...["mv", "rm", "touch", "tee", "truncate", "unlink"].map((name): [string, number] => [name, 0]),
  ...["chmod", "chown"].map((name): [string, number] => [name, 1]),
  ...["cp", "ln"].map((name): [string, number] => [name, -1]),
]);

const readers = setOf("cat head tail less more bat nl wc sed jq awk diff stat file");
const showers = setOf("cat head tail less more bat nl sed awk");
const showOptions: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["bat", setOf("-r --line-range -l --language")],
  ["nl", setOf("-b -w -s -v -n -f -h -i -l")],
]);
const searchers = setOf("rg grep egrep ag ack");
const searchOptions = setOf("-e -f -A -B -C -m -g -t -T --glob --type --max-count --regexp --context");
const givesPattern = setOf("-e --regexp -f --files");
const scripted = new Set(["jq", "awk"]);
const lineCounts = new Set(["-n", "-c", "--lines", "--bytes"]);
const sedScripts = new Set(["-e", "-f"]);
const gitMoves = new Set(["rm", "mv", "restore"]);
