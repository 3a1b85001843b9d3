// The web: fetched pages and searches. What they say comes from outside and is marked so. A title stands in lists and
// summaries, far from its mark, so it says where the answer is from and nothing of the answer's own words.

import { numberField, objectsField, textField } from "../../../domain/json-fields.ts";
import { counted, firstLine, listed, oneLine } from "../../../domain/plain-text.ts";
import { points, sentences } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

/** What a fetch or web search got. */
export function describeWeb(use: ToolUse): Finding {
  const { input, result } = use;
  const address = textField(input, "url", "uri", "href") || textField(result.fields, "url");
  const query = textField(input, "query", "q", "search_term", "prompt");
  return address === "" && query !== "" ? describeSearch(use, query) : describeFetch(use, address);
}

function describeFetch(use: ToolUse, address: string): Finding {
  const { input, result } = use;
  const status = numberField(result.fields, "code", "status", "statusCode");
  const failed = result.failed || (status !== null && status >= 400);
  const asked = textField(input, "prompt", "query");
  const first = heading(result.text) || (sentences(result.text, 1)[0] ?? "");
  const what = address === "" ? `a page with ${use.name}` : hostAndPath(address);
  const title = failed
    ? `Could not fetch ${oneLine(what, 70)}${status === null ? "" : `: HTTP ${status}`}`
    : `Fetched ${oneLine(what, 70)}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: asked,
    summary: title,
    narrative: [
      title,
      asked === "" ? "" : `Asked of the page: ${asked}`,
      heading(result.text),
      ...sentences(result.text, 3),
    ],
    facts: [
      address === "" ? "" : `Address: ${address}`,
      status === null ? "" : `HTTP status ${status}`,
      ...(failed ? [first] : points(result.text)),
    ],
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
  };
}

function describeSearch({ result }: ToolUse, query: string): Finding {
  const hits = objectsField(result.fields, "results").flatMap((entry) => [
    entry,
    ...objectsField(entry, "content"),
  ]);
  const found = hits.flatMap((hit) => {
    const name = textField(hit, "title");
    const address = textField(hit, "url", "link");
    return name === "" && address === "" ? [] : [address === "" ? name : `${name} (${address})`];
  });
  const failed = result.failed;
  const count = !failed && found.length > 0 ? counted(found.length, "result") : "";
  const first = firstLine(result.text);
  const title = `${failed ? "Web search failed" : "Searched the web"} for "${oneLine(query, 60)}"${count === "" ? "" : `: ${count}`}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: "",
    summary: title,
    narrative: [
      title,
      found.length > 0 ? `Found: ${listed(found, 4)}` : (sentences(result.text, 2)[0] ?? ""),
    ],
    facts: found.length > 0 ? found.slice(0, 8) : failed ? [first] : points(result.text),
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
    routine: !failed && found.length === 0 && result.text.trim() === "",
  };
}

// A query or fragment of an address can hold whole sentences that a page put into its link.
function hostAndPath(address: string): string {
  return address.replace(/^https?:\/\//, "").replace(/[?#].*$/s, "");
}

function heading(text: string): string {
  return /^#{1,3}\s+(.+)$/m.exec(text.slice(0, 2_000))?.[1] ?? "";
}
