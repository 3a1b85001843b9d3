// Reads a shell command far enough to say what it runs and which files it reads and writes.
import { splitCommands } from "./shell-words.ts";

export interface Segment {
  /** The words without quotes, wrappers (`sudo`, `timeout 60`, `env A=b`) and redirections. */
  words: string[];
  /** Name of the program, without its directory. */
  program: string;
  /** The words as typed, for showing. */
  text: string;
  /** Variables set for it: `A=b` before the program, and by `export` segments before it. */
  environment: string[];
  /** As typed, with variables, wrappers and redirections. */
  source: string;
  /** Where `source` begins and ends in the command line; of a `bash -c "..."`, the whole of it. */
  start: number;
  end: number;
  /** Targets of `>` and `>>`. */
  writes: string[];
  /** Its input comes from the segment before. */
  piped: boolean;
  /** Directory that `cd` segments before it went to, or the empty string. */
  directory: string;
  /** It was started with `&`. */
  background: boolean;
  /** It stands behind `||`: it runs only when the segment before it failed. */
  fallback: boolean;
}

/** The simple commands of a command line, in order; what follows the first 4,000 characters is not read. */
export function parseCommandLine(command: string): Segment[] {
  const segments: Segment[] = [];
  let directory = "";
  const exported: string[] = [];
  for (const raw of splitCommands(command.slice(0, maxChars))) {
    const { words, assignments } = withoutWrappers(raw.words);
    const environment = [...exported, ...assignments];
    const { start, end } = raw;
    const program = programName(words[0] ?? "");
    if (program === "" && raw.writes.length === 0) continue;
    const inner = innerCommand(words);
    if (inner !== "") {
      for (const segment of parseCommandLine(inner)) {
        const merged = [...environment, ...segment.environment];
        const inside = joinPath(directory, segment.directory);
        segments.push({ ...segment, directory: inside, environment: merged, start, end });
      }
      continue;
    }
    segments.push({
      words,
      program,
      text: words.map(quoted).join(" "),
      environment,
      source: command.slice(start, end),
      start,
      end,
      writes: raw.writes,
      piped: raw.piped,
      background: raw.background,
      fallback: raw.fallback,
      directory,
    });
    if ((program === "cd" || program === "pushd") && words[1] !== undefined)
      directory = joinPath(directory, words[1]);
    if (program === "export") exported.push(...words.slice(1).filter((word) => assignment.test(word)));
    if (segments.length >= maxSegments) break;
  }
  return segments.slice(0, maxSegments);
}

/** `path` as seen from the directory that a command went to. */
export function joinPath(directory: string, path: string): string {
  if (directory === "" || path.startsWith("/") || path.startsWith("~") || driveLetter.test(path)) return path;
  if (path === "") return directory;
  return `${directory.replace(/\/+$/, "")}/${path.replace(/^\.\//, "")}`;
}

function withoutWrappers(words: readonly string[]): { words: string[]; assignments: string[] } {
  const assignments: string[] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (assignment.test(word)) assignments.push(word);
    if (assignment.test(word) || keywords.has(word)) at += 1;
    else if (wrappers.has(word)) at = afterOptions(words, at + 1, wrappers.get(word) ?? "");
    else if (numbered.has(word)) {
      at = afterOptions(words, at + 1, numbered.get(word) ?? "");
      while (duration.test(words[at] ?? "")) at += 1;
    } else break;
  }
  return { words: words.slice(at), assignments };
}

// Of a wrapper's options those in `withValue` take the next word: `sudo -u postgres psql`.
function afterOptions(words: readonly string[], from: number, withValue: string): number {
  let at = from;
  for (let word = words[at] ?? ""; word.startsWith("-") && word.length > 1; word = words[at] ?? "") {
    at += word.length === 2 && withValue.includes(word.charAt(1)) ? 2 : 1;
    if (word === "--") break;
  }
  return at;
}

function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd)$/i, "");
}

/** The command line that a shell gets as an argument, `make` of `bash -c make`; the empty string when there is none. */
export function innerCommand(words: readonly string[]): string {
  const option = innerOption.get(programName(words[0] ?? ""));
  const at = option === undefined ? -1 : words.findIndex((word) => option.test(word));
  return at < 0 ? "" : (words[at + 1] ?? "");
}

function quoted(word: string): string {
  if (word !== "" && !/[\s|&;()"']/.test(word)) return word;
  return word.includes('"') ? `'${word}'` : `"${word}"`;
}

const maxChars = 4_000;
const maxSegments = 40;
const shellOption = /^-\w*c$/;
const innerOption: ReadonlyMap<string, RegExp> = new Map([
  ...["bash", "sh", "zsh", "dash", "ash", "fish", "su"].map((shell): [string, RegExp] => [
    shell,
    shellOption,
  ]),
  ["nix-shell", /^--(?:run|command)$/],
]);
/** Programs that run the command behind them, with the letters of their options that take a value. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ["sudo", "ugpChCRrTtD"],
  ["doas", "uC"],
  ["time", "fo"],
  ["nohup", ""],
  ["env", "uC"],
  ["exec", "a"],
  ["setsid", ""],
  ["ionice", "cn"],
]);
/** The same with a number in front of the command. */
const numbered: ReadonlyMap<string, string> = new Map([
  ["timeout", "ks"],
  ["gtimeout", "ks"],
  ["nice", "n"],
  ["stdbuf", "ioe"],
]);
const keywords = new Set([
  "command",
  "then",
  "do",
  "else",
  "!",
  "{",
  "if",
  "while",
  "until",
  "}",
  "fi",
  "done",
]);
const assignment = /^[A-Za-z_]\w*=/;
const duration = /^\d+(?:\.\d+)?[smhd]?$/;
const driveLetter = /^[A-Za-z]:/;
