// curl, wget and their like: which address, which answer.

import { firstLine } from "../../../domain/plain-text.ts";
import { operands } from "./command-files.ts";
import type { CommandRun, CommandWords } from "./command-run.ts";

/** What a request from the shell got. */
export function describeNetwork({ main, lines, label }: CommandRun): CommandWords {
  const address =
    main.words.find((word) => addressPattern.test(word)) ?? operands(main, valueOptions)[0] ?? "";
  const status = statusOf(lines);
  const method = methodOf(main.words);
  const body = firstLine(withoutHeaders(lines).join("\n"));
  const first = body === status ? "" : body;
  const isOurs = isLoopback(address);
  const title = `${method} ${address || label}${status === "" ? "" : ` answered ${status}`}${first === "" || !isOurs ? "" : `: ${first}`}`;
  const bad = /^[45]/.test(status);
  return {
    title,
    concepts: [bad ? "problem-solution" : "how-it-works"],
    facts: [
      status === "" ? "" : `HTTP ${status} from ${method} ${address}`,
      first === "" ? "" : `Answer: ${first}`,
    ],
    evidence: [
      status === "" ? "" : `The status was ${status}`,
      first === "" ? "The answer was empty" : `The answer begins: ${first}`,
    ],
    provenance: isOurs ? "command" : "web",
  };
}

/** True for an address of this machine: what it says is not from the web. */
export function isLoopback(address: string): boolean {
  return loopback.test(address);
}

// `curl -i` prints the headers up to an empty line; `curl -v` marks its talk.
function withoutHeaders(lines: readonly string[]): string[] {
  const blank = lines[0]?.startsWith("HTTP/") === true ? lines.indexOf("") : -1;
  return lines.slice(blank + 1).filter((line) => !/^(?:HTTP\/|[<>*] )/.test(line));
}

function statusOf(lines: readonly string[]): string {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const match =
      /^<? ?HTTP\/[\d.]+ (\d{3})/.exec(line) ??
      /(?:^|[^\w.])(?:HTTP|status|code)[: =]{1,3}(\d{3})\b/i.exec(line.slice(0, 200));
    if (match?.[1] !== undefined) return match[1];
  }
  const last = lines.at(-1)?.trim() ?? "";
  return /^[1-5]\d\d$/.test(last) ? last : "";
}

function methodOf(words: readonly string[]): string {
  const at = words.findIndex((word) => word === "-X" || word === "--request");
  const named = at < 0 ? undefined : words[at + 1];
  if (named !== undefined && /^[A-Z]{3,7}$/.test(named)) return named;
  if (words.some((word) => /^(?:-d|--data|--data-raw|--data-binary|--json|-F|--form)$/.test(word)))
    return "POST";
  return words.some((word) => word === "-I" || word === "--head") ? "HEAD" : "GET";
}

const addressPattern = /^https?:\/\/|^(?:localhost|127\.|\[::1\])|^[\w-]+(?:\.[\w-]+)+(?::\d+)?\//;
const loopback = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/i;
const valueOptions = new Set(
  "-X --request -H --header -d --data --data-raw -o --output -w -m --max-time -u --json --unix-socket".split(
    " ",
  ),
);
