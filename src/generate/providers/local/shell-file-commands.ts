// Commands that look at files or move them about: cat, grep, find, mv, rm, sed -i, `> file`.

import { joinPath, type Segment } from "../../../domain/command-line.ts";
import { counted, firstLine, listed, shownPath } from "../../../domain/plain-text.ts";
import { commandFiles, operands } from "./command-files.ts";
import type { CommandRun, CommandWords } from "./command-run.ts";
import { describeText } from "./read-tools.ts";
import { matchWords } from "./search-words.ts";

/** `cat`, `head`, `sed -n` and their like. */
export function describeShellRead({ use, main, label, lines, segments }: CommandRun): CommandWords {
  const { read } = commandFiles([main]);
  const [path, ...more] = read;
  if (path !== undefined && more.length > 0) {
    const shown = read.map((file) => shownPath(file, use.cwd));
    return { title: `Read ${listed(shown, 4)}`, evidence: [firstLine(use.result.text)], provenance: "file" };
  }
  if (path === undefined || main.program === "wc") {
    // wc counts several files in several lines and sums up in the last.
    const first = (main.program === "wc" ? lines.at(-1)?.trim() : undefined) ?? firstLine(use.result.text);
    return { title: `Ran ${label}${first === "" ? "" : `: ${first}`}`, facts: [first], evidence: [first] };
  }
  const through = segments.find(({ piped, program }) => piped && !showsAsIs.has(program));
  if (through !== undefined) {
    const first = firstLine(use.result.text);
    const title = `Read ${shownPath(path, use.cwd)} through ${through.program}${first === "" ? "" : `: ${first}`}`;
    return { title, facts: [first], evidence: [first], provenance: "file" };
  }
  const range = lineRange(main.words);
  const { title, facts, narrative } = describeText(use, { path, range, text: use.result.text });
  return { title, facts, evidence: narrative.slice(1), provenance: "file" };
}

/** Several looks in one line: their outputs cannot be told apart. */
export function describeLooks({ use, lines }: CommandRun, looks: readonly Segment[]): CommandWords {
  const read = commandFiles(looks).read.map((file) => shownPath(file, use.cwd));
  return {
    title: `Looked around: ${listed(
      looks.map(({ text }) => `\`${text}\``),
      3,
    )}`,
    evidence: [
      read.length > 0 ? `Read: ${listed(read, 6)}` : "",
      `It printed ${counted(lines.length, "line")}`,
    ],
    provenance: "file",
  };
}

/** `grep`, `rg`, `find`, `ls` and their like. */
export function describeShellSearch(run: CommandRun): CommandWords {
  const { main, lines, use, segments } = run;
  const found = lines.filter((line) => line.trim() !== "" && line !== "--" && !/^total \d+$/.test(line));
  const isGrep =
    (grepLike.has(main.program) && !main.words.includes("--files")) || main.words.includes("grep");
  const asked = isGrep ? grepRequest(main) : { asked: "", places: operands(main, findOptions) };
  const places = asked.places.filter((word) => !/^[!()]/.test(word));
  const named = main.words.flatMap((word, index) =>
    nameTest.test(word) ? (main.words[index + 1] ?? []) : [],
  );
  const place = listed(
    places.map((path) => shownPath(joinPath(main.directory, path), use.cwd)),
    2,
  );
  // `| wc -l` leaves the number and nothing else.
  const counts =
    segments.some(({ program, piped }) => piped && program === "wc") && /^\s*\d+\s*$/.test(use.result.text);
  return matchWords({
    asked: asked.asked,
    place: named.length === 0 ? place : `${place === "" ? "files" : place} named ${listed(named, 3)}`,
    lines: counts ? [] : found.map(lastColumn),
    unit: isGrep
      ? main.words.some((word) => filesOnly.test(word))
        ? "file"
        : "match"
      : listsDirectory.has(main.program)
        ? "entry"
        : "file",
    cwd: use.cwd,
    total: counts ? Number(use.result.text) : found.length,
    cut: use.result.cut,
  });
}

/** `mv`, `rm`, `cp`, `mkdir`, `sed -i`, `cat > file`. */
export function describeShellWrite(run: CommandRun): CommandWords {
  return {
    title: writeTitle(run),
    obs_type: run.main.program === "mv" ? "refactor" : "change",
    concepts: ["what-changed"],
    evidence: [firstLine(run.use.result.text)],
  };
}

function writeTitle({ main, use, label, segments }: CommandRun): string {
  const files = operands(main).map((path) => shownPath(joinPath(main.directory, path), use.cwd));
  const last = files.at(-1) ?? "";
  switch (main.program) {
    case "mv":
      return `Moved ${listed(files.slice(0, -1), 3)} to ${last}`;
    case "cp":
      return `Copied ${listed(files.slice(0, -1), 3)} to ${last}`;
    case "rm":
    case "rmdir":
    case "unlink":
      return `Deleted ${listed(files, 3)}`;
    case "mkdir":
      return `Created directory ${listed(files, 3)}`;
    case "touch":
      return `Created ${listed(files, 3)}`;
    case "sed":
      return `Edited ${listed(files.slice(1), 3)} with sed: ${operands(main)[0] ?? ""}`;
    default: {
      const written = segments
        .flatMap(({ writes, directory }) => writes.map((path) => joinPath(directory, path)))
        .map((path) => shownPath(path, use.cwd));
      return written.length === 0 ? `Ran ${label}` : `Wrote ${listed(written, 3)}`;
    }
  }
}

function grepRequest(main: Segment): { asked: string; places: string[] } {
  const option = main.words.findIndex((word) => word === "-e" || word === "--regexp");
  const rest = operands(main, grepOptions);
  if (main.program === "git") rest.shift();
  const pattern = option < 0 ? rest.shift() : main.words[option + 1];
  return { asked: pattern ?? "", places: rest };
}

function lineRange(words: readonly string[]): string {
  const match = words.map((word) => /^(\d+),(\d+)p$/.exec(word)).find((found) => found !== null);
  return match === null || match === undefined ? "" : `lines ${match[1]}-${match[2]}`;
}

// `ls -l` prints the name last.
function lastColumn(line: string): string {
  return /^[-dlbcps][rwxsStT-]{9}/.test(line) ? (line.split(/\s+/).at(-1) ?? line) : line.trim();
}

const showsAsIs = new Set(["head", "tail", "cat", "less", "nl", "more"]);
const nameTest = /^-i?name$|^-path$/;
const filesOnly = /^-[a-zA-Z]*l|^--files-with-matches$/;
const listsDirectory = new Set(["ls", "tree", "du"]);
const grepLike = new Set(["grep", "egrep", "rg", "ag", "ack"]);
const grepOptions = new Set(
  "-e --regexp -f -A -B -C -m --max-count -g --glob -t --type --context".split(" "),
);
const findOptions = new Set(
  "-name -iname -path -type -maxdepth -mindepth -newer -exec -size -mtime -I -L -e -t -d".split(" "),
);
