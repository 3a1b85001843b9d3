// `mem show`: whole records by their names.
import type { Command } from "commander";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { parseRecordName, type RecordName, recordName } from "../../core/records/record-name.ts";
import { parseLists } from "../../core/records/records.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { type Hits, hitsByKind } from "../search-list.ts";
import { renderHits } from "../search-results.ts";

/** Adds `mem show`. */
export function registerShow(program: Command, context: CliContext): void {
  const show = program
    .command("show")
    .description("show whole records")
    .argument("<ids...>", "12 for an observation, S12 for a session summary, P12 for a prompt")
    .option("--json", "print JSON")
    .action((ids: string[], options: { json?: true }) => showRecords(context, ids, options.json === true));
  withExamples(show, [
    ["mem show 12", "an observation that `mem search` found"],
    ["mem show 12 S3 P7 --json", ""],
  ]);
}

async function showRecords(context: CliContext, ids: readonly string[], asJson: boolean): Promise<void> {
  const names = ids.flatMap((text) => text.split(",").filter((part) => part !== "")).map(named);
  const { shown, missing } = await read(context.worker(), names);
  if (asJson) context.io.json(shown);
  else renderHits(context.io, hitsByKind(shown), { nowEpochMs: context.clock.now() });
  if (missing.length === 0) return;
  throw new MemError("not_found", {
    message: `There is no ${missing.map(recordName).join(", ")}.`,
    hint: "Ids come from `mem search`: 12 is an observation, S12 a session summary, P12 a prompt.",
  });
}

function named(text: string): RecordName {
  const name = parseRecordName(text);
  if (name !== undefined) return name;
  throw new MemError("usage", {
    message: `"${text}" is no id.`,
    hint: "12 is an observation, S12 a session summary, P12 a prompt; `mem search` shows them.",
  });
}

const mostObservations = 100;

async function read(worker: WorkerClient, names: readonly RecordName[]) {
  const idsOf = (kind: RecordName["kind"]) => [
    ...new Set(names.filter((name) => name.kind === kind).map(({ id }) => id)),
  ];
  const ids = idsOf("observation");
  const shown: Hits = { observations: [], sessions: [], prompts: [] };
  for (let from = 0; from < ids.length; from += mostObservations) {
    const found = await worker.observationsOf(ids.slice(from, from + mostObservations));
    shown.observations.push(...found.map(asked));
  }
  for (const id of idsOf("session")) {
    const found = await orMissing(worker.summary(id));
    if (found !== undefined) shown.sessions.push(asked(parseLists(found)));
  }
  for (const id of idsOf("prompt")) {
    const found = await orMissing(worker.prompt(id));
    if (found !== undefined) shown.prompts.push(asked(found));
  }
  const there = {
    observation: shown.observations.map(({ id }) => id),
    session: shown.sessions.map(({ id }) => id),
    prompt: shown.prompts.map(({ id }) => id),
  };
  return { shown, missing: names.filter(({ kind, id }) => !there[kind].includes(id)) };
}

// Nothing was looked for, so nothing matched.
function asked<R>(record: R): R & { matched_by: [] } {
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
