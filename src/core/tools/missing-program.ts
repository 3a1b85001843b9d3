// Finds a shell's "command not found" messages: the command failed, whatever its exit code.
import type { Segment } from "./command-line.ts";
import type { ToolResult } from "./tool-result.ts";

export interface MissingProgram {
  /** Its name as the shell printed it, without its directory. */
  program: string;
  /** The line that says so. */
  line: string;
}

/**
 * The programs that a command line did not find. In a pipe or behind `;` the exit code is that of another command.
 * Outside of stderr a line counts only when it names a program that the line runs: a log that is searched or printed has
 * such lines too. Where the host gives no stderr, both streams may stand in one text.
 */
export function missingPrograms(
  { streams, text }: ToolResult,
  segments: readonly Segment[],
): MissingProgram[] {
  const stderr = streams?.stderr ?? "";
  if (stderr !== "") return missingIn(stderr);
  if (segments.some(({ text: words }) => /not found|not recognized/i.test(words))) return [];
  const runs = new Set(segments.map(({ program }) => program));
  return missingIn(text).filter(({ program }) => runs.has(program));
}

function missingIn(text: string): MissingProgram[] {
  return text.split("\n").flatMap((line) => {
    const program = line.length > longestLine ? null : programIn(line.trim());
    return program === null ? [] : [{ program, line: line.trim() }];
  });
}

function programIn(line: string): string | null {
  const named = saidInParts(line) ?? sentences.map((one) => one.exec(line)?.[1]).find(Boolean);
  if (named === undefined) return null;
  const word = named.replace(quotes, "");
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd|bat|ps1)$/i, "") || null;
}

// `bash: line 1: rg: command not found`, `sh: 1: rg: not found`, `zsh:1: command not found: rg`.
function saidInParts(line: string): string | null {
  const parts = line.split(/\s?: +/);
  const last = parts.at(-1) ?? "";
  const before = parts.at(-2) ?? "";
  if (parts.length < 2 || parts.length > 5) return null;
  if (commandNotFound.test(last)) return isWord(before) ? before : null;
  if (commandNotFound.test(before) && isWord(last)) return last;
  if (notFound.test(last) && parts.length > 2 && isWord(before) && isShell(parts)) return before;
  return noSuchFile.test(last) && isWord(before) && starters.test(parts[0] ?? "") ? before : null;
}

// A shell names itself or its script, and most of them the line.
function isShell([origin = "", next = ""]: readonly string[]): boolean {
  return shells.test(origin) || lineNumber.test(next) || numberedOrigin.test(origin);
}

function isWord(text: string): boolean {
  return text.length <= 200 && /^[^\s:]+$/.test(text);
}

const longestLine = 600;
const quotes = /^['"`‘“„«»]+|['"`’”“«»]+$/g;
const shells =
  /^-?(?:\S*[/\\])?(?:sh|ash|dash|bash|zsh|ksh\d*|mksh|busybox|exec|sudo)(?:\.exe)?(?:\[\d+\])?$/;
const lineNumber = /^(?:\D{0,20} )?\d+$/;
const numberedOrigin = /^\S+(?::|\[)\d+\]?$/;
const notFound = /^(?:inaccessible or )?not found(?: \[.*\])?$/i;
const noSuchFile = /^no such file or directory$/i;
// They start the program named after them.
const starters = /^(?:\S*\/)?(?:env|nohup|xargs|make(?:\[\d+\])?|time|timeout|nice|stdbuf|setsid)$/;

// Bash in the languages of its translations. Other shells print English.
const commandNotFound = new RegExp(
  `^(?:${[
    "(?:unknown )?command not found",
    "unknown command",
    "(?:Kommando|Befehl) nicht gefunden",
    "commande (?:introuvable|non trouvée)",
    "(?:orden|comando) no encontrad[ao]",
    "no se encontró (?:la orden|el comando)",
    "comando non trovato",
    "comando não encontrado",
    "no s'ha trobat l'ordre",
    "opdracht niet gevonden",
    "kommandot (?:finns inte|hittades inte)",
    "kommando(?:en)? (?:ikke|blev ikke) (?:fundet|funnet)",
    "komentoa ei (?:löydy|löytynyt)",
    "nie znaleziono polecenia",
    "příkaz nenalezen",
    "príkaz nenájdený",
    "parancs nem található",
    "comandă negăsită",
    "komut (?:yok|bulunamadı)",
    "команда не найдена",
    "команду не знайдено",
    "η εντολή δεν? βρέθηκε",
    "không tìm thấy lệnh",
    "perintah tidak ditemukan",
    "(?:未找到|找不到)(?:命令|指令)",
    "(?:命令|指令)(?:未找到|找不到)",
    "コマンドが見つかりません(?:でした)?",
    "명령(?:어)?를? 찾을 수 (?:없습니다|없음)",
    "명령을 찾을 수 (?:없습니다|없음)",
  ].join("|")})[.。…]*$`,
  "i",
);

// Full sentences: fish, cmd.exe, PowerShell, nushell, and distributions that name the package.
const sentences = [
  /^(?:fish: )?Unknown command:? ['"‘]?([^\s'"’]+)['"’]?$/i,
  /^['"‘]([^'"’]+)['"’] is not recognized as an internal or external command\b/i,
  /^(?:\S+ ?: )?The term ['"‘]([^'"’]+)['"’] is not recognized as (?:the|a) name of a cmdlet\b/i,
  /ObjectNotFound: \(([^():]+):String\) \[[^\]]*\], CommandNotFoundException$/,
  /^Command [`'"‘]([^`'"’]+)[`'"’] not found\b/i,
  /^The program ['"‘]([^'"’]+)['"’] is (?:currently not installed|not in your PATH)\b/i,
  /^(?:nohup|timeout|nice|stdbuf|setsid|chroot): failed to (?:run|execute) (?:command )?['"‘]?([^\s'"’:]+)['"’]?: No such file or directory$/i,
  /^Der Befehl ["„]([^"“]+)["“] ist entweder falsch geschrieben\b/,
  /^['"«]\s?([^'"»]+?)\s?['"»] (?:n['’]est pas reconnu en tant que commande interne|no se reconoce como un comando interno|non è riconosciuto come comando interno|não é reconhecido como um comando interno|не является внутренней или внешней командой)/,
  /^(?:Nazwa )?['"]([^'"]+)['"] ?(?:nie jest rozpoznawana jako polecenie wewnętrzne|は、内部コマンドまたは外部コマンド|不是内部或外部命令|不是內部或外部命令|은\(는\) 내부 또는 외부 명령)/,
];
