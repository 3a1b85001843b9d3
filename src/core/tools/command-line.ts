// Parses a shell command line: the programs it runs, their words, redirections and directories.

export interface Segment {
  /** The words without quotes, wrappers (`sudo`, `timeout 60`, `env A=b`) and redirections. */
  words: string[];
  /** Name of the program, without its directory. */
  program: string;
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
  /** It reads the output of the segment before it. */
  piped: boolean;
  /** Directory that `cd` segments before it went to, or the empty string. */
  directory: string;
  /** It was started with `&`. */
  background: boolean;
  /** It follows `||`: it runs only when the segment before it failed. */
  fallback: boolean;
}

/** The simple commands of a command line, in order. Reads the first 4,000 characters. */
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

/** `path` relative to the directory that `cd` went to. */
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

// Options in `withValue` take the next word: `sudo -u postgres psql`.
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

/** The command line passed to a shell: `make` of `bash -c make`. Empty when there is none. */
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
/** Programs that run the command after them, with the letters of their options that take a value. */
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
/** The same, with a number before the command. */
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

interface SimpleCommand extends Pick<Segment, "words" | "start" | "end" | "writes" | "piped"> {
  /** It was started with `&`. */
  background: boolean;
  fallback: boolean;
}

/** The simple commands of `command`, in order. One pass; a quote that is never closed runs to the end. */
function splitCommands(command: string): SimpleCommand[] {
  const reader = new ShellReader(command);
  while (!reader.atEnd()) reader.step();
  return reader.finish();
}

class ShellReader {
  private readonly command: string;
  private readonly commands: SimpleCommand[] = [];
  private current: SimpleCommand = newCommand({});
  private word = "";
  private inWord = false;
  /** What the next word is: an argument, a file that is written, or the other end of a redirection. */
  private target: "argument" | "write" | "skip" = "argument";
  private heredoc: string | null = null;
  private at = 0;

  constructor(command: string) {
    this.command = command;
  }

  atEnd(): boolean {
    return this.at >= this.command.length;
  }

  finish(): SimpleCommand[] {
    this.endCommand({});
    return this.commands;
  }

  step(): void {
    const char = this.command.charAt(this.at);
    const next = this.command.charAt(this.at + 1);
    if (char === "'" || char === '"') this.takeQuote(char);
    else if (char === "\\") this.takeEscape(next);
    else if (char === "$" && next === "(") this.takeUpTo(closingParenthesis(this.command, this.at + 1) + 1);
    else if (char === "<" && next === "<") this.takeHeredoc();
    else if (char === "<" || char === ">") this.takeRedirection(char, next);
    else if (char === "&" && next === ">") this.at += 1;
    else if (char === "\n") this.takeNewline();
    else if (operators.has(char)) this.takeOperator(char, next);
    else if (char === " " || char === "\t") {
      this.endWord();
      this.at += 1;
    } else if (char === "#" && !this.inWord)
      this.at = orEnd(this.command.indexOf("\n", this.at), this.command);
    else this.takeUpTo(this.at + 1);
  }

  private beginWord(): void {
    if (!this.inWord && this.current.start < 0) this.current.start = this.at;
    this.inWord = true;
  }

  private takeUpTo(end: number): void {
    this.beginWord();
    this.word += this.command.slice(this.at, end);
    this.at = end;
  }

  private takeQuote(quote: string): void {
    const end = closingQuote(this.command, this.at, quote);
    const content = this.command.slice(this.at + 1, end);
    this.beginWord();
    this.word += quote === '"' ? content.replace(escapedInQuotes, "$1") : content;
    this.at = end + 1;
  }

  private takeEscape(next: string): void {
    if (next !== "\n") {
      this.beginWord();
      this.word += next;
    }
    this.at += 2;
  }

  private takeHeredoc(): void {
    this.endWord();
    if (this.command[this.at + 2] === "<") {
      this.at += 3;
      this.target = "skip";
      return;
    }
    const match = heredocTag.exec(this.command.slice(this.at, this.at + 80));
    this.heredoc = match?.[1] ?? this.heredoc;
    this.at += match?.[0].length ?? 2;
  }

  private takeRedirection(char: string, next: string): void {
    if (descriptor.test(this.word)) {
      this.word = "";
      this.inWord = false;
    }
    this.endWord();
    this.at += char === ">" && next === ">" ? 2 : 1;
    const toDescriptor = this.command[this.at] === "&";
    if (toDescriptor) this.at += 1;
    this.target = char === ">" && !toDescriptor ? "write" : "skip";
  }

  private takeNewline(): void {
    this.endCommand({});
    this.at += 1;
    if (this.heredoc === null) return;
    this.at = afterHeredoc(this.command, this.at, this.heredoc);
    this.heredoc = null;
  }

  private takeOperator(char: string, next: string): void {
    const doubled = next === char;
    this.endWord();
    this.current.background = char === "&" && !doubled;
    this.endCommand({ piped: char === "|" && !doubled, fallback: char === "|" && doubled });
    this.at += (doubled && char !== "(" && char !== ")") || (char === "|" && next === "&") ? 2 : 1;
  }

  private endWord(): void {
    if (!this.inWord) return;
    this.current.end = Math.min(this.at, this.command.length);
    if (this.target === "write") this.current.writes.push(this.word);
    else if (this.target === "argument") this.current.words.push(this.word);
    this.word = "";
    this.inWord = false;
    this.target = "argument";
  }

  private endCommand(next: Link): void {
    this.endWord();
    if (this.current.words.length + this.current.writes.length > 0) this.commands.push(this.current);
    this.current = newCommand(next);
  }
}

/** How a command is joined to the one before it. */
type Link = Partial<Pick<SimpleCommand, "piped" | "fallback">>;

function newCommand({ piped = false, fallback = false }: Link): SimpleCommand {
  return { words: [], start: -1, end: 0, writes: [], piped, background: false, fallback };
}

function closingQuote(command: string, open: number, quote: string): number {
  for (let at = open + 1; at < command.length; at += 1) {
    if (command[at] === "\\" && quote === '"') at += 1;
    else if (command[at] === quote) return at;
  }
  return command.length;
}

function closingParenthesis(command: string, open: number): number {
  let depth = 0;
  for (let at = open; at < command.length; at += 1) {
    if (command[at] === "(") depth += 1;
    else if (command[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return command.length;
}

function afterHeredoc(command: string, start: number, tag: string): number {
  let at = start;
  while (at < command.length) {
    const end = orEnd(command.indexOf("\n", at), command);
    const line = command.slice(at, end);
    at = end + 1;
    if (line.trim() === tag) break;
  }
  return at;
}

function orEnd(index: number, text: string): number {
  return index < 0 ? text.length : index;
}

const operators = new Set(["|", "&", ";", "(", ")"]);
const descriptor = /^[\d&]$/;
const escapedInQuotes = /\\(["\\$`])/g;
const heredocTag = /^<<-?\s*\\?["']?([A-Za-z_]\w*)["']?/;
