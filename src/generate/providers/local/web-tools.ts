// The web: fetched pages and searches. What they say comes from outside and is marked so. A title stands in lists and
// summaries, far from its mark, so it says where the answer is from and nothing of the answer's own words.
import { numberField, objectsField, textField } from "../../../text/json-fields.ts";
import { counted, firstLine, oneLine } from "../../../text/plain-text.ts";
import { points } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

export function describeWeb(use: ToolUse): Finding {
  const { input, result } = use;
  const address = textField(input, "url", "uri", "href") || textField(result.fields, "url");
  const query = textField(input, "query", "q", "search_term", "prompt");
  return address === "" && query !== "" ? describeSearch(use, query) : describeFetch(use, address);
}

function describeFetch({ input, result, name }: ToolUse, address: string): Finding {
  const status = numberField(result.fields, "code", "status", "statusCode");
  const failed = result.failed || (status !== null && status >= 400);
  const what = oneLine(address === "" ? `a page with ${name}` : hostAndPath(address), 70);
  const asked = textField(input, "prompt", "query");
  return {
    title: failed ? `Could not fetch ${what}${status === null ? "" : `: HTTP ${status}`}` : `Fetched ${what}`,
    subtitle: asked,
    narrative: asked === "" ? [] : [`Asked of the page: ${asked}`],
    facts: [
      address === "" ? "" : `Address: ${address}`,
      status === null ? "" : `HTTP status ${status}`,
      ...(failed ? [firstLine(result.text)] : points(result.text)),
    ],
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
  };
}

function describeSearch({ result }: ToolUse, query: string): Finding {
  const { failed } = result;
  const hits = objectsField(result.fields, "results").flatMap((entry) => [
    entry,
    ...objectsField(entry, "content"),
  ]);
  const found = hits.flatMap((hit) => {
    const [name, address] = [textField(hit, "title"), textField(hit, "url", "link")];
    return name === "" && address === "" ? [] : [address === "" ? name : `${name} (${address})`];
  });
  const count = !failed && found.length > 0 ? `: ${counted(found.length, "result")}` : "";
  return {
    title: `${failed ? "Web search failed" : "Searched the web"} for "${oneLine(query, 60)}"${count}`,
    facts: found.length > 0 ? found.slice(0, 8) : failed ? [firstLine(result.text)] : points(result.text),
    concepts: [failed ? "problem-solution" : "how-it-works"],
    provenance: "web",
    routine: !failed && found.length === 0 && result.text.trim() === "",
  };
}

// A query or fragment may contain sentences written by the page.
function hostAndPath(address: string): string {
  return address.replace(/^https?:\/\//, "").replace(/[?#].*$/s, "");
}
