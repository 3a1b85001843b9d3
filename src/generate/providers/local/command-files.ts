// Which files simple commands read and write.
import { editsInPlace, gitVerb } from "../../../core/tools/command-kind.ts";
import { joinPath, type Segment } from "../../../core/tools/command-line.ts";

/** The files that the segments read and write, as named; patterns and variables are left to `paths` to drop. */
export function commandFiles(segments: readonly Segment[]): { read: string[]; written: string[] } {
  const read: string[] = [];
  const written: string[] = [];
  for (const segment of segments) {
    const at = (path: string) => joinPath(segment.directory, path);
    written.push(...segment.writes.map(at), ...writtenBy(segment).map(at));
    read.push(...readBy(segment).map(at));
  }
  return { read, written };
}

/** The words that are neither options nor their values. */
export function operands(
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

function writtenBy(segment: Segment): string[] {
  const files = operands(segment);
  switch (segment.program) {
    case "mv":
    case "rm":
    case "touch":
    case "tee":
    case "truncate":
    case "unlink":
      return files;
    case "cp":
    case "ln":
      return files.slice(-1);
    case "chmod":
    case "chown":
      return files.slice(1);
    case "sed":
      if (!editsInPlace(segment)) return [];
      return segment.words.includes("-e") ? operands(segment, sedScripts) : files.slice(1);
    case "git":
      return gitMoves.has(gitVerb(segment.words)) ? files.slice(1) : [];
    default:
      return [];
  }
}

function readBy(segment: Segment): string[] {
  const { program } = segment;
  if (program === "cp") return operands(segment).slice(0, -1);
  if (!readers.has(program)) return [];
  if (program === "head" || program === "tail") return operands(segment, lineCounts);
  if (program === "sed") {
    if (editsInPlace(segment)) return [];
    return segment.words.includes("-e") ? operands(segment, sedScripts) : operands(segment).slice(1);
  }
  return scripted.has(program) ? operands(segment).slice(1) : operands(segment);
}

const readers = new Set("cat head tail less more bat nl wc sed jq awk diff stat file".split(" "));
const scripted = new Set(["jq", "awk"]);
const lineCounts = new Set(["-n", "-c", "--lines", "--bytes"]);
const sedScripts = new Set(["-e", "-f"]);
const gitMoves = new Set(["rm", "mv", "restore"]);
