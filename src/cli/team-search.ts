// `mem search --team`: records that the team's server finds, of projects that are connected.
import type { TeamHit } from "../client/sharing-routes.ts";
import { MemError } from "../core/errors.ts";
import type { JsonOptions } from "./command.ts";
import type { CliContext } from "./context.ts";
import { type Result, renderResults } from "./search-results.ts";

interface TeamSearchOptions extends JsonOptions {
  format?: "index" | "full";
  limit: number;
  project?: string;
}

/** Filters other than project and limit are the worker's, and are refused. */
export async function searchTeam(
  { io, clock, worker }: CliContext,
  words: readonly string[],
  { json, format, limit, project, ...others }: TeamSearchOptions,
): Promise<void> {
  const query = words.join(" ").trim();
  if (query === "")
    throw new MemError("usage", {
      message: "A search of the team needs words.",
      hint: "mem search --team deploy",
    });
  const refused = Object.entries(others).filter(
    ([name, value]) => !takenToo.includes(name) && value !== undefined,
  );
  if (refused.length > 0)
    throw new MemError("usage", {
      message: "With --team a search takes words, --project, --limit and --format only.",
      hint: "Leave the other filters out.",
    });
  const { items } = await worker().searchTeam({
    query,
    limit,
    ...(project === undefined ? {} : { project }),
  });
  if (json === true) return io.json({ items });
  if (items.length === 0) io.err("The team's server found nothing. Try other words.");
  renderResults(
    io,
    items.map((hit) => teamResult(hit, format === "full")),
    { nowEpochMs: clock.now() },
  );
  if (items.length > 0 && format !== "full")
    io.err("These records are on the team's server. To read one whole: `mem show <id>`.");
}

const takenToo = ["team", "offset", "all"];

/** A record of the team's server in a list. Its id is long, so it stands below the title. */
export function teamResult(
  { id, title, kind, type, team_project, content, created_at_epoch }: TeamHit,
  full: boolean,
): Result {
  const text = content.startsWith(title) ? content.slice(title.length).trim() : content;
  const lines = text.split("\n").filter((line) => line !== "");
  return {
    name: "",
    title,
    tags: [id, kind === "session_summary" ? "summary" : type, team_project],
    created_at_epoch,
    // The first line may be a subtitle, such as the id of a commit.
    preview: full ? "" : (lines.find((line) => /[.!?]$/.test(line)) ?? lines[0] ?? ""),
    paragraphs: full ? text.split(/\n{2,}/).filter((paragraph) => paragraph !== "") : [],
  };
}
