// What the messages prove without a model: files read and changed, and the origin of their content.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import type { Provenance } from "../../core/records/records.ts";
import type { GenerationBatch } from "../provider.ts";
import { observe } from "../providers/local/local.ts";
import { summarize } from "../providers/local/summary.ts";

export type Evidence = Pick<DraftObservation, "files_read" | "files_modified" | "provenance" | "routine">;

export function evidenceOf(
  claimed: ClaimedMessage,
  { session, recentTitles }: Pick<GenerationBatch, "session" | "recentTitles">,
): Evidence {
  if (claimed.message.type === "observation") return observe(claimed);
  return { ...summarize(claimed, session.user_prompt, recentTitles), provenance: "agent" };
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

/** Whether a message or an earlier title contains a path, also relative to the directory. */
export function mentionsIn({
  messages,
  recentTitles,
}: Pick<GenerationBatch, "messages" | "recentTitles">): (path: string) => boolean {
  const directories = new Set(messages.flatMap(({ message }) => message.cwd ?? []));
  const known = new Map<string, boolean>();
  let text: string | undefined;
  const find = (path: string): boolean => {
    text ??= [...messages.map(({ message }) => textOf(message)), ...recentTitles].join("\n");
    const inside = [...directories].flatMap((cwd) =>
      path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : [],
    );
    return [path, ...inside].some((name) => standsIn(text ?? "", name));
  };
  return (path) => {
    const found = known.get(path) ?? (known.size < mostPathsLookedFor && find(path));
    known.set(path, found);
    return found;
  };
}

// An answer full of invented paths must not hold up the worker.
const mostPathsLookedFor = 300;

// JSON doubles the backslashes of Windows paths.
function textOf({ tool_input = "", tool_response = "", ...said }: PendingMessage): string {
  const { last_user_message = "", last_assistant_message = "" } = said;
  const uses = JSON.stringify([tool_input, tool_response]);
  return [uses, last_user_message, last_assistant_message].join("\n").replaceAll("\\\\", "\\");
}

// Whole paths only: `data.ts` does not mention `a.ts`.
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
