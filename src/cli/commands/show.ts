// `mem show`: whole records by their ids.
import type { Command } from "commander";
import type { TeamHit } from "../../client/sharing-routes.ts";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { parseRecordName, type RecordName, recordName } from "../../core/records/record-name.ts";
import { parseLists } from "../../core/records/records.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { hitAsJson, type ListedHit } from "../search-list.ts";
import { renderHits, renderResults } from "../search-results.ts";
import { teamResult } from "../team-search.ts";

const idKinds = "12 is an observation, S12 a summary, P12 a prompt";
const isTeamId = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Adds `mem show`. */
export function registerShow(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "show",
    about: "Show whole records",
    arguments: [["<ids...>", idKinds]],
    options: [jsonOption],
    notes: "A long id, as `mem search --team` shows, is a record of the team's server.",
    examples: ["mem show 12 # an observation that `mem search` found", "mem show 12 S3 P7 --json"],
    paged: true,
    run: (ids: string[], { json }: JsonOptions) => showRecords(context, ids, json === true),
  });
}

async function showRecords(context: CliContext, ids: readonly string[], asJson: boolean): Promise<void> {
  const given = [...new Set(ids.flatMap((text) => text.split(",").filter((part) => part !== "")))];
  const teamIds = given.filter(isTeamId);
  const names = given.filter((text) => !isTeamId(text)).map(parsedName);
  const worker = context.worker();
  const shown = await read(worker, names);
  const ofTeam: TeamHit[] = [];
  for (const id of teamIds) {
    const found = await orMissing(worker.teamMemory(id));
    if (found !== undefined) ofTeam.push(found);
  }
  const there = new Set([
    ...shown.map(({ kind, found }) => recordName({ kind, id: found.id })),
    ...ofTeam.map(({ id }) => id),
  ]);
  const missing = [...new Set([...names.map(recordName), ...teamIds])].filter((name) => !there.has(name));
  const listing = { nowEpochMs: context.clock.now() };
  if (asJson) context.io.json({ items: [...shown.map(hitAsJson), ...ofTeam], missing });
  else {
    renderHits(context.io, shown, listing);
    renderResults(
      context.io,
      ofTeam.map((hit) => teamResult(hit, true)),
      listing,
    );
  }
  if (missing.length === 0) return;
  throw new MemError("not_found", {
    message: `Not found: ${missing.join(", ")}.`,
    hint: `Ids come from \`mem search\`: ${idKinds}.`,
  });
}

function parsedName(text: string): RecordName {
  const name = parseRecordName(text);
  if (name !== undefined) return name;
  throw new MemError("usage", {
    message: `"${text}" is not an id.`,
    hint: `${idKinds}. Find ids: \`mem search\`.`,
  });
}

const mostObservations = 100;

async function read(worker: WorkerClient, names: readonly RecordName[]): Promise<ListedHit[]> {
  const idsOf = (kind: RecordName["kind"]) => [
    ...new Set(names.filter((name) => name.kind === kind).map(({ id }) => id)),
  ];
  const shown: ListedHit[] = [];
  const ids = idsOf("observation");
  for (let from = 0; from < ids.length; from += mostObservations) {
    const found = await worker.observationsOf(ids.slice(from, from + mostObservations));
    shown.push(...found.map((each) => ({ kind: "observation" as const, found: unmatched(each) })));
  }
  for (const id of idsOf("session")) {
    const found = await orMissing(worker.summary(id));
    if (found !== undefined) shown.push({ kind: "session", found: unmatched(parseLists(found)) });
  }
  for (const id of idsOf("prompt")) {
    const found = await orMissing(worker.prompt(id));
    if (found !== undefined) shown.push({ kind: "prompt", found: unmatched(found) });
  }
  return shown;
}

// There was no query to match.
function unmatched<R>(record: R): R & { matched_by: [] } {
  return { ...record, matched_by: [] };
}

async function orMissing<R>(reading: Promise<R>): Promise<R | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof MemError && error.code === "not_found") return undefined;
    throw error;
  }
}
