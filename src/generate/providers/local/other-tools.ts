// Describes MCP tools and unknown tools: the arguments and the start of the answer.

import type { Provenance } from "../../../core/records/records.ts";
import { isJsonObject, type Json } from "../../../text/json.ts";
import { pathField, textField } from "../../../text/json-fields.ts";
import { firstLine, oneLine, shownPath } from "../../../text/plain-text.ts";
import { gist, points } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

export function describeMcp(use: ToolUse): Finding {
  const [, server = "", tool = ""] = mcpName.exec(use.name) ?? [];
  const { facts = [], ...finding } = describeByShape(use, `${server}: ${tool.replace(/[_-]+/g, " ")}`, "mcp");
  return { ...finding, facts: [`MCP tool ${tool} of server ${server}`, ...facts] };
}

export function describeOther(use: ToolUse): Finding {
  return describeByShape(use, use.name === "" ? "A tool" : use.name, "agent");
}

// Titles never quote an MCP answer: lists show titles without their provenance.
function describeByShape(use: ToolUse, subject: string, provenance: Provenance): Finding {
  const { input, inputText, result, cwd } = use;
  const named = Object.entries(input)
    .slice(0, 20)
    .map(([key, value]) => [oneLine(key, 40), shownPath(oneLine(textOf(value), 200), cwd)] as const)
    .filter(([, value]) => value !== "");
  const telling = named.find(([key]) => tellingKey.test(key)) ?? named[0];
  const said = oneLine(inputText || (telling?.[1] ?? ""), 60);
  const answer = answerLine(use);
  const quoted = provenance === "mcp" ? "" : answer;
  const shown = said === "" || said === quoted ? "" : ` (${said})`;
  const path = pathField(input);
  return {
    title: `${subject}${result.failed ? " failed" : ""}${shown}${quoted === "" ? "" : `: ${quoted}`}`,
    facts: [
      result.failed && answer !== "" ? `Error: ${answer}` : "",
      ...named.slice(0, 5).map(([key, value]) => `${key}: ${value}`),
      ...(result.failed ? [] : [answer, ...answerFacts(result.text)]),
    ],
    concepts: [result.failed ? "problem-solution" : "how-it-works"],
    filesRead: path === "" || /^[a-z]+:\/\//.test(path) ? [] : [path],
    provenance,
  };
}

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.slice(0, 10).map(textOf).join(", ");
  if (isJsonObject(value)) return Object.keys(value).slice(0, 8).join(", ");
  return value === null ? "" : String(value);
}

// For a JSON answer, its title or message is more useful than the first line.
function answerLine({ result: { fields, text } }: ToolUse): string {
  const said = textField(fields, "title", "name", "summary", "message", "error");
  if (said !== "") return firstLine(said);
  if (!jsonStart.test(text)) return gist(text);
  return jsonTitle.exec(text.slice(0, 4_000))?.[1] ?? oneLine(text, 100);
}

function answerFacts(text: string): string[] {
  if (!jsonStart.test(text)) return points(text);
  const address = jsonAddress.exec(text.slice(0, 6_000))?.[1];
  return address === undefined ? [] : [`Address: ${address}`];
}

const jsonStart = /^\s*[{[]/;
const jsonTitle = /"(?:title|name|summary|message)"\s*:\s*"([^"]{1,200})"/;
const jsonAddress = /"(?:html_url|web_url|url|permalink|link)"\s*:\s*"(https?:[^"]{1,250})"/;
const tellingKey =
  /^(?:title|query|q|name|subject|url|path|file|command|expression|sql|prompt|text|message|id|key)$/i;
const mcpName = /^mcp__(.+?)__(.+)$/;
