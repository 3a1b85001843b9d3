// Describes the web, MCP tools and unknown tools. What they answer comes from outside: a title stands in lists far from its
// mark, so it says where the answer is from and quotes none of it.
import { isJsonObject, type Json } from "../../../text/json.ts";
import { numberField, objectsField, pathField, textField } from "../../../text/json-fields.ts";
import { counted, firstLine, oneLine, shownPath } from "../../../text/plain-text.ts";
import { type Finding, gist, points, type ToolUse } from "./finding.ts";

export function describeMcp(use: ToolUse): Finding {
  const [, server = "", tool = ""] = mcpName.exec(use.name) ?? [];
  const found = describeByShape(use, `${server}: ${tool.replace(/[_-]+/g, " ")}`);
  const facts = [`MCP tool ${tool} of server ${server}`, ...(found.facts ?? [])];
  return { ...found, facts, provenance: "mcp" };
}

export function describeOther(use: ToolUse): Finding {
  return describeByShape(use, use.name === "" ? "A tool" : use.name);
}

function describeByShape({ input, inputText, result, cwd }: ToolUse, subject: string): Finding {
  const named = Object.entries(input)
    .slice(0, 20)
    .map(([key, value]) => [oneLine(key, 40), shownPath(oneLine(textOf(value), 200), cwd)] as const)
    .filter(([, value]) => value !== "");
  const telling = named.find(([key]) => tellingKey.test(key)) ?? named[0];
  const said = oneLine(inputText || (telling?.[1] ?? ""), 60);
  const answer = firstLine(textField(result.fields, ...answerNames)) || oneLine(gist(result.text), 100);
  const path = pathField(input);
  return {
    title: `${subject}${result.failed ? " failed" : ""}${said === "" ? "" : ` (${said})`}`,
    facts: [
      result.failed && answer !== "" ? `Error: ${answer}` : "",
      ...named.slice(0, 5).map(([key, value]) => `${key}: ${value}`),
      result.failed ? "" : answer,
    ],
    concepts: [result.failed ? "problem-solution" : "how-it-works"],
    filesRead: path === "" || /^[a-z]+:\/\//.test(path) ? [] : [path],
    provenance: "agent",
  };
}

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.slice(0, 10).map(textOf).join(", ");
  if (isJsonObject(value)) return Object.keys(value).slice(0, 8).join(", ");
  return value === null ? "" : String(value);
}

const answerNames = ["title", "name", "summary", "message", "error"];
const tellingKey =
  /^(?:title|query|q|name|subject|url|path|file|command|expression|sql|prompt|text|message|id|key)$/i;
const mcpName = /^mcp__(.+?)__(.+)$/;

export function describeWeb(use: ToolUse): Finding {
  const { input, result } = use;
  const address = textField(input, "url", "uri", "href") || textField(result.fields, "url");
  const query = textField(input, "query", "q", "search_term", "prompt");
  return address === "" && query !== "" ? describeWebSearch(use, query) : describeFetch(use, address);
}

function describeFetch({ input, result, name }: ToolUse, address: string): Finding {
  const status = numberField(result.fields, "code", "status", "statusCode");
  const failed = result.failed || (status !== null && status >= 400);
  // A query or fragment may contain sentences written by the page.
  const page = address.replace(/^https?:\/\//, "").replace(/[?#].*$/s, "");
  const what = oneLine(page === "" ? `a page with ${name}` : page, 70);
  return {
    title: failed ? `Could not fetch ${what}${status === null ? "" : `: HTTP ${status}`}` : `Fetched ${what}`,
    subtitle: textField(input, "prompt", "query"),
    facts: [
      address === "" ? "" : `Address: ${address}`,
      status === null ? "" : `HTTP status ${status}`,
      ...(failed ? [firstLine(result.text)] : points(result.text)),
    ],
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
  };
}

function describeWebSearch({ result: { failed, fields, text } }: ToolUse, query: string): Finding {
  const entries = objectsField(fields, "results").flatMap((one) => [one, ...objectsField(one, "content")]);
  const found = entries.flatMap((hit) => {
    const [name, address] = [textField(hit, "title"), textField(hit, "url", "link")];
    return name === "" && address === "" ? [] : [address === "" ? name : `${name} (${address})`];
  });
  const count = !failed && found.length > 0 ? `: ${counted(found.length, "result")}` : "";
  return {
    title: `${failed ? "Web search failed" : "Searched the web"} for "${oneLine(query, 60)}"${count}`,
    facts: found.length > 0 ? found.slice(0, 8) : failed ? [firstLine(text)] : points(text),
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
    routine: !failed && found.length === 0 && text.trim() === "",
  };
}
