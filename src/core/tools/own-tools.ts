// Detects tool uses that read our own memory, so that mem never stores its own output.

import { stripPrivate } from "../../privacy/private-tags.ts";
import { isJsonObject, mapStrings } from "../../text/json.ts";
import { parseCommandLine, type Segment } from "./command-line.ts";
import { setOf } from "./name-lists.ts";
import { commandIn, readCall, type ToolUse } from "./tool-kind.ts";

/**
 * What is to be remembered of a tool use. Null when it only read our memory: by a tool of our MCP server, by a command,
 * or at the worker's own port. A command that did more keeps what it did, without any output: ours cannot be told apart.
 */
export function withoutOwnAnswers<U extends ToolUse>(use: U, ownPort?: number): U | null {
  if (isOwnTool(use.tool_name ?? "")) return null;
  const address = ownPort === undefined ? null : ownAddress(ownPort);
  const input = isJsonObject(use.tool_input) ? use.tool_input : {};
  if ([input.url, input.uri].some((url) => typeof url === "string" && address?.test(url))) return null;
  const { name, text } = commandIn(use.tool_input);
  if (!hint.test(text) && !address?.test(text)) return use;
  // Codex sends a patch as `command`: its lines are not commands.
  if (readCall(use).kind === "edit") return use;
  // Private parts first: a removed command may contain half of a private tag.
  const rest = withoutOwnReads(stripPrivate(text), address);
  if (rest === null) return use;
  if (rest === "") return null;
  return {
    ...use,
    tool_input: name === null ? rest : { ...input, [name]: rest },
    tool_response: mapStrings(use.tool_response ?? null, () => ""),
  };
}

/** True for the name of a tool of our MCP server. */
export function isOwnTool(name: string): boolean {
  return ownTool.test(name);
}

// `mcp__<server>__<tool>`, for a server that a plugin brings `mcp__plugin_<plugin>_<server>__<tool>`; OpenClaw leaves out
// the first part.
const ownTool =
  /^(?:mcp__(?:plugin_[\w-]{1,100}_)?)?mem__(?:search|timeline|get_observations|recent|context|remember|review)$/;

/** Ids of the records that a tool use reads whole: by our MCP server, or by `mem show`. As they were given. */
export function readRecords({ tool_name = "", tool_input }: ToolUse): string[] {
  if (isOwnTool(tool_name)) {
    const ids = tool_name.endsWith("get_observations") && isJsonObject(tool_input) ? tool_input.ids : [];
    return Array.isArray(ids) ? ids.map(String) : [];
  }
  const { text } = commandIn(tool_input);
  if (!hint.test(text)) return [];
  return parseCommandLine(text).flatMap(({ words }) => {
    const at = words.findIndex(isOurs);
    return at >= 0 && words[at + 1] === "show"
      ? words.slice(at + 2).filter((word) => !word.startsWith("-"))
      : [];
  });
}

function ownAddress(port: number): RegExp {
  return new RegExp(`(?:127\\.\\d+\\.\\d+\\.\\d+|localhost|0\\.0\\.0\\.0|\\[::1?\\]):${port}(?!\\d)`, "i");
}

// Avoids parsing most commands.
const hint = /\bmem(?:\.js|\.db|\.exe|\.cmd)?\b|agent-mem|worker\.sock/i;

/** The other commands, joined. Empty when all of them only read memory, null when none does. */
function withoutOwnReads(text: string, address: RegExp | null): string | null {
  const segments = parseCommandLine(text);
  const reads = segments.map((segment) => readsMemory(segment, address));
  if (!reads.includes(true) && !substitutes(text, address)) return null;
  let isFed = false;
  const others = segments.filter((segment, at) => {
    isFed = reads[at] === true || (segment.piped && isFed);
    const shows = reads[at] === true || (isFed && filters.has(segment.program));
    return !shows || writes(segment);
  });
  return others.every((segment) => !hasEffects(segment)) ? "" : others.map(textOf).join(" && ");
}

function readsMemory(segment: Segment, address: RegExp | null): boolean {
  const { program, words } = segment;
  if (program === "sqlite3" && words.some((word) => /(?:^|[\\/])mem\.db$/.test(word))) return true;
  if (words.some((word) => address?.test(word) || /[\\/]worker\.sock$/.test(word))) return true;
  // `npm run mem` is a script of the project.
  const launches = launchers.has(program) && words[1] !== "run";
  const at = launches ? words.findIndex(isOurs) : isOurs(words[0] ?? "") ? 0 : -1;
  const verb = at < 0 ? undefined : words.slice(at + 1).find((word) => !word.startsWith("-"));
  return verb !== undefined && readers.has(verb);
}

function isOurs(word: string): boolean {
  return /(?:^|[\\/])(?:mem(?:\.js|\.exe|\.cmd)?|agent-mem(?:@\S+)?)$/.test(word);
}

// `$(mem show 5)`: what it prints is part of another command or of a variable, and perhaps of the output.
function substitutes(text: string, address: RegExp | null): boolean {
  const inner = [...text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, a = "", b = ""]) => a || b);
  return inner.some((command) => parseCommandLine(command).some((segment) => readsMemory(segment, address)));
}

function hasEffects(segment: Segment): boolean {
  return writes(segment) || !trivial.has(segment.program);
}

function writes({ writes: targets }: Segment): boolean {
  return targets.some((path) => !path.startsWith("/dev/"));
}

function textOf({ text, writes: targets }: Segment): string {
  return [text, ...targets.map((path) => `> ${path}`)].join(" ").trim();
}

const readers = setOf("search show timeline context recent file export mcp");
const launchers = setOf(
  "node bun deno npx bunx pnpx npm pnpm yarn xargs sudo watch parallel env timeout unbuffer script",
);
// Filters that only show their input. Another program at the end of a pipe acts: it stays, without its output.
const filters = setOf(
  `head tail grep egrep fgrep rg jq yq sed awk gawk sort uniq cut tr wc cat less more nl column fold fmt rev tac
    paste python3 python node xargs bat`,
);
const trivial = setOf(
  "cd echo printf export set unset true false : sleep pwd wait read for done source . test [ [[ which type clear",
);
