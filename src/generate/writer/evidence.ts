// What the messages prove without a model: files read and changed, and the origin of their content.
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Provenance } from "../../core/records/records.ts";
import type { GenerationBatch } from "../provider.ts";
import { observe } from "../providers/local/local.ts";
import { summarize } from "../providers/local/summary.ts";

export interface Evidence {
  filesRead: readonly string[];
  filesModified: readonly string[];
  provenance: Provenance;
  /** Nothing lasting: a listing, a status. */
  routine: boolean;
  /** Whether the message contains this path, also relative to its directory. */
  mentions(path: string): boolean;
}

export function evidenceOf(
  claimed: ClaimedMessage,
  { session, recentTitles }: Pick<GenerationBatch, "session" | "recentTitles">,
): Evidence {
  const said = mentioned(claimed, recentTitles);
  if (claimed.message.type === "summarize") {
    const { files_read, files_modified } = summarize(claimed, session.user_prompt, recentTitles);
    const files = { filesRead: files_read, filesModified: files_modified };
    return { ...files, provenance: "agent", routine: false, mentions: said };
  }
  const { files_read, files_modified, provenance, routine = false } = observe(claimed);
  return { filesRead: files_read, filesModified: files_modified, provenance, routine, mentions: said };
}

/** The least trusted of several: content of the web or an MCP server taints the record. */
export function leastTrusted(provenances: readonly Provenance[]): Provenance {
  for (const untrusted of ["web", "mcp"] as const) if (provenances.includes(untrusted)) return untrusted;
  return provenances[0] ?? "agent";
}

/** The known path for one that a model may have shortened, or undefined. */
export function spelledAs(path: string, known: readonly string[]): string | undefined {
  const bare = path.replace(/^\.[\\/]/, "");
  return known.find((each) => each === path || each === bare || isEndOf(bare, each) || isEndOf(each, bare));
}

/** Whether `path` ends in `end` at a separator. */
export function isEndOf(end: string, path: string): boolean {
  return end !== "" && (path.endsWith(`/${end}`) || path.endsWith(`\\${end}`));
}

// Whole paths only: `data.ts` does not mention `a.ts`. JSON doubles the backslashes of Windows paths.
function mentioned({ message }: ClaimedMessage, recentTitles: readonly string[]): (path: string) => boolean {
  let text: string | undefined;
  const allText = () =>
    [
      JSON.stringify([message.tool_input ?? "", message.tool_response ?? ""]),
      message.last_user_message ?? "",
      message.last_assistant_message ?? "",
      ...(message.type === "summarize" ? recentTitles : []),
    ]
      .join("\n")
      .replaceAll("\\\\", "\\");
  return (path) => {
    text ??= allText();
    const inside =
      message.cwd !== undefined && path.startsWith(`${message.cwd}/`)
        ? path.slice(message.cwd.length + 1)
        : path;
    return standsIn(text, path) || (inside !== path && standsIn(text, inside));
  };
}

function standsIn(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + path.length] ?? " ";
    const escaped = /\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at));
    if ((escaped || !partOfName.test(before)) && !partOfName.test(after)) return true;
  }
  return false;
}

const partOfName = /[\p{L}\p{N}_-]/u;
