// Turns the drafts of a reply into records, each under its job.

import { newId } from "../../core/ids.ts";
import type { DraftObservation, DraftSummary, Reply } from "../../core/records/drafts.ts";
import type { ObservationSource } from "../../core/records/hosted-record.ts";
import { messageOfEvent } from "../../core/tools/event-message.ts";
import type { DraftRecord } from "../../store/postgres/complete-jobs.ts";
import type { LeasedBatch, LeasedJob } from "../../store/postgres/job-leases.ts";
import type { JsonObject } from "../../text/json.ts";
import type { HostedTurn } from "./hosted-turns.ts";

/** Records of the drafts whose jobs are still leased; a draft of several jobs belongs to the first leased one. */
export function recordsOf(
  { jobs: leased }: Pick<LeasedBatch, "jobs">,
  reply: Reply,
  {
    jobs,
    turn,
    now,
  }: { jobs: ReadonlySet<string>; turn: Pick<HostedTurn, "events"> | undefined; now: number },
): DraftRecord[] {
  const held = new Map(leased.filter(({ id }) => jobs.has(id)).map((job) => [job.seq, job]));
  const places = createPlaces();
  const observations = reply.observations.flatMap((draft): Written[] => {
    const named = draft.sources.flatMap((seq) => held.get(seq) ?? []);
    const [first] = named;
    if (first === undefined) return [];
    // A statement belongs to its message; the tool uses it names have their own records.
    const sources = draft.statement === undefined ? named : [first];
    const made = madeOf(first, sources);
    const cited = draft.statement === undefined ? [] : citedBy(draft, turn, first);
    return [{ ...observationOf(draft), ...made, sources: [...made.sources, ...cited], ...places(first) }];
  });
  const summaries = reply.summaries.flatMap((draft) => {
    const source = held.get(draft.source);
    // An empty summary is not stored.
    return source === undefined || saysNothing(draft)
      ? []
      : [{ ...summaryOf(draft), ...madeOf(source, [source]), ...places(source) }];
  });
  const { generator, upgrade } = reply;
  const written = (record: Written, more: JsonObject = {}): DraftRecord => ({
    ...record,
    generator,
    metadata: { ...(upgrade === true ? { upgrade: true } : {}), ...more },
    created_at_epoch: record.created_at_epoch ?? now,
  });
  return [
    ...observations.map((record) => written(record)),
    ...summaries.map(({ parts, ...record }) => written(record, { parts })),
  ];
}

type Written = Omit<DraftRecord, "generator" | "metadata">;

// Same job and place give the same key, so a job processed twice leaves one record.
function createPlaces(): (job: LeasedJob) => { generation_key: string } {
  const taken = new Map<string, number>();
  return ({ id }) => {
    const place = taken.get(id) ?? 0;
    taken.set(id, place + 1);
    return { generation_key: `${id}:${place}` };
  };
}

function madeOf(first: LeasedJob, sources: readonly LeasedJob[]) {
  return {
    id: newId(),
    prompt_number: null,
    created_by_job_id: first.id,
    created_at_epoch: first.occurred_at_epoch,
    discovery_tokens: sources.reduce((sum, job) => sum + workTokens(job), 0),
    sources: sources.map(({ id, source_type, source_id }) => ({
      id: newId(),
      source_type,
      source_id,
      generation_job_id: id,
    })),
  };
}

function citedBy(
  { sources }: DraftObservation,
  turn: Pick<HostedTurn, "events"> | undefined,
  { source_id }: LeasedJob,
): ObservationSource[] {
  const events = new Set(sources.flatMap((id) => turn?.events.get(id) ?? []));
  events.delete(source_id);
  return [...events].map((event) => ({
    id: newId(),
    source_type: "agent_event",
    source_id: event,
    generation_job_id: null,
  }));
}

// Estimated at four characters per token.
function workTokens({ event_type, payload }: LeasedJob): number {
  if (event_type === null) return 0;
  const { type, tool_input, tool_response } = messageOfEvent({ event_type, payload });
  if (type === "summarize") return 0;
  return Math.ceil((JSON.stringify([tool_input ?? "", tool_response ?? ""]).length - 3) / 4);
}

function observationOf({ sources: _sources, ...draft }: DraftObservation) {
  return { ...draft, kind: "observation" as const };
}

function saysNothing({
  facts,
  files_read,
  files_modified,
  source: _source,
  concepts: _concepts,
  ...parts
}: DraftSummary) {
  const texts = Object.values(parts).filter((part) => part !== null && part !== "");
  return texts.length + facts.length + files_read.length + files_modified.length === 0;
}

function summaryOf(draft: DraftSummary) {
  const parts = [draft.request, draft.investigated, draft.learned, draft.completed, draft.next_steps];
  const told = parts.filter((part): part is string => part !== null && part !== "");
  return {
    kind: "session_summary" as const,
    obs_type: "session_summary",
    title: draft.request ?? "Session summary",
    subtitle: null,
    summary: draft.completed ?? draft.learned ?? draft.request ?? "",
    narrative: told.join("\n\n") || null,
    facts: draft.facts,
    concepts: draft.concepts,
    files_read: draft.files_read,
    files_modified: draft.files_modified,
    provenance: "agent",
    // Parts for the compatibility routes.
    parts: {
      request: draft.request,
      investigated: draft.investigated,
      learned: draft.learned,
      completed: draft.completed,
      next_steps: draft.next_steps,
      notes: draft.notes,
    },
  };
}
