// One observation with what is known of it: sources, prompt, freshness, injections, cost.
import { readTokens } from "../context/budget.ts";
import { type Observation, parseLists } from "../core/records/records.ts";
import { commandIn, readCall } from "../core/tools/tool-kind.ts";
import type { ObservationDetails } from "../http/schemas/views.ts";
import type { ObservationSource } from "../store/sqlite/record-origins.ts";
import type { Store } from "../store/sqlite/store.ts";
import { excerpt } from "../text/excerpt.ts";
import type { WorkerBranches } from "./branches.ts";
import type { FileStates } from "./freshness.ts";

interface DetailsDeps {
  store: Store;
  unmerged?: WorkerBranches["unmerged"];
  fileStates: FileStates;
}

/** Undefined without such an observation. */
export async function detailsOf(
  { store, fileStates, unmerged }: DetailsDeps,
  id: number,
): Promise<ObservationDetails | undefined> {
  const { observations, sessions, recordOrigins, injections } = store;
  const stored = observations.byId(id);
  if (stored === undefined) return undefined;
  const others = unmerged?.("observation", [id], { project: null, cwd: null });
  const record = { ...parseLists(stored), ...(others?.has(id) ? { merged: false } : {}) };
  const session = sessions.bySdkId(stored.sdk_session_id);
  const successor = stored.superseded_by === null ? undefined : observations.byId(stored.superseded_by);
  return {
    record,
    sources: recordOrigins.sources(id, maxSources).map(sourceLine),
    session: session === undefined ? null : { id: session.id, title: session.title, host: session.host },
    prompt: recordOrigins.prompt(id) ?? null,
    freshness: await freshnessOf(fileStates, stored, record.files_touched),
    supersedes: recordOrigins.supersedes(id, maxSources),
    superseded_by: successor === undefined ? null : { id: successor.id, title: successor.title },
    injected: injections.timesOf({ kind: "observation", id }),
    tokens: { text: readTokens(record), work: stored.discovery_tokens },
  };
}

const maxSources = 50;
const maxLine = 200;

function sourceLine({ id, kind, at_epoch, cited, message }: ObservationSource) {
  const { tool_name = null, last_assistant_message, last_user_message } = message;
  const line =
    kind === "observation" ? toolLine(message) : (last_assistant_message ?? last_user_message ?? "");
  return { id, kind, tool_name, summary: excerpt(line, maxLine), at_epoch, is_cited: cited === 1 };
}

/** The command or the file, else the whole input. */
function toolLine(message: ObservationSource["message"]): string {
  const { input, inputText } = readCall(message);
  const command = commandIn(message.tool_input).text;
  if (command !== "") return command;
  const path = pathNames.map((name) => input[name]).find((value) => typeof value === "string");
  if (typeof path === "string") return path;
  return inputText || JSON.stringify(input);
}

const pathNames = [
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "notebook_path",
  "pattern",
  "query",
  "url",
];

async function freshnessOf(
  fileStates: FileStates,
  { id, project }: Observation,
  paths: readonly string[],
): Promise<ObservationDetails["freshness"]> {
  const compared = new Map((await fileStates(id, project)).map(({ path, is }) => [path, is] as const));
  const files = [...new Set([...paths, ...compared.keys()])].map((path) => {
    const is = compared.get(path) ?? "unknown";
    return { path, state: is === "same" ? ("fresh" as const) : is };
  });
  const states = (["changed", "gone", "fresh"] as const).filter((state) =>
    files.some((file) => file.state === state),
  );
  return { state: states[0] ?? "unknown", files };
}
