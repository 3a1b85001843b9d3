// MCP tools and tools nobody told us of: what went in, and how the answer begins.
import { isJsonObject, type Json } from "../../../domain/json.ts";
import { pathField, textField } from "../../../domain/json-fields.ts";
import { firstLine, oneLine, shownPath } from "../../../domain/plain-text.ts";
import type { Provenance } from "../../../domain/records.ts";
import { gist, points } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

interface Argument {
  key: string;
  value: string;
}

/** What a tool of an MCP server did. */
export function describeMcp(use: ToolUse): Finding {
  const [, server = "", tool = ""] = mcpName.exec(use.name) ?? [];
  const finding = describeByShape(use, `${server}: ${tool.replace(/[_-]+/g, " ")}`, "mcp");
  return { ...finding, facts: [`MCP tool ${tool} of server ${server}`, ...finding.facts] };
}

/** What any other tool did. */
export function describeOther(use: ToolUse): Finding {
  return describeByShape(use, use.name === "" ? "A tool" : use.name, "agent");
}

// The title of what an MCP server answered has none of the answer's words: it stands in lists, far from its mark.
function describeByShape(use: ToolUse, subject: string, provenance: Provenance): Finding {
  const { input, inputText, result } = use;
  const named = Object.entries(input)
    .slice(0, 20)
    .flatMap(([key, value]) => argument(key, value, use.cwd));
  const telling = named.find(({ key }) => tellingKey.test(key)) ?? named[0];
  const said = inputText === "" ? telling?.value : oneLine(inputText, 80);
  const first = answerLine(use);
  const outcome = result.failed ? " failed" : "";
  const quoted = provenance === "mcp" ? "" : first;
  const shown = said === undefined || said === quoted ? "" : ` (${oneLine(said, 60)})`;
  const title = `${subject}${outcome}${shown}${quoted === "" ? "" : `: ${quoted}`}`;
  const path = pathField(input);
  return {
    obs_type: "discovery",
    title,
    subtitle: shownArguments(named, 50),
    summary: title,
    narrative: [
      `${subject} was called${said === undefined ? "" : ` with ${shownArguments(named, 60)}`}`,
      first === "" ? "It answered nothing" : `${result.failed ? "It failed" : "It answered"}: ${first}`,
    ],
    facts: [
      result.failed && first !== "" ? `Error: ${first}` : "",
      ...named.slice(0, 5).map(({ key, value }) => `${key}: ${value}`),
      ...(result.failed
        ? []
        : answerFacts(result.text).filter((fact) => first === "" || !fact.startsWith(first))),
    ],
    concepts: [result.failed ? "problem-solution" : "how-it-works"],
    filesRead: path === "" || /^[a-z]+:\/\//.test(path) ? [] : [path],
    provenance,
  };
}

function shownArguments(named: readonly Argument[], maxChars: number): string {
  return named
    .slice(0, 4)
    .map(({ key, value }) => `${key}: ${oneLine(value, maxChars)}`)
    .join(", ");
}

// An answer in JSON begins with a brace; its name, title or message says more.
function answerLine({ result }: ToolUse): string {
  const said = textField(result.fields, "title", "name", "summary", "message", "error");
  if (said !== "") return firstLine(said);
  const line = gist(result.text);
  return jsonStart.test(result.text)
    ? (/"(?:title|name|summary|message)"\s*:\s*"([^"]{1,200})"/.exec(result.text.slice(0, 4_000))?.[1] ??
        oneLine(result.text, 100))
    : line;
}

// Of an answer in JSON its first address is kept, of prose what it says in short.
function answerFacts(text: string): string[] {
  if (!jsonStart.test(text)) return points(text);
  const address = /"(?:html_url|web_url|url|permalink|link)"\s*:\s*"(https?:[^"]{1,250})"/.exec(
    text.slice(0, 6_000),
  )?.[1];
  return address === undefined ? [] : [`Address: ${address}`];
}

function argument(key: string, value: Json, cwd: string | null): Argument[] {
  const name = oneLine(key, 40);
  if (typeof value === "string")
    return value.trim() === "" ? [] : [{ key: name, value: shownPath(oneLine(value, 200), cwd) }];
  if (typeof value === "number" || typeof value === "boolean") return [{ key: name, value: String(value) }];
  if (Array.isArray(value)) {
    const texts = value
      .slice(0, 10)
      .filter((entry) => typeof entry === "string" || typeof entry === "number");
    return texts.length === 0 ? [] : [{ key: name, value: oneLine(texts.join(", "), 200) }];
  }
  return isJsonObject(value) && Object.keys(value).length > 0
    ? [{ key: name, value: oneLine(Object.keys(value).slice(0, 8).join(", "), 200) }]
    : [];
}

const jsonStart = /^\s*[{[]/;
const tellingKey =
  /^(?:title|query|q|name|subject|url|path|file|command|expression|sql|prompt|text|message|id|key)$/i;
const mcpName = /^mcp__(.+?)__(.+)$/;
