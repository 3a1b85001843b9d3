// Which records a forget means.
import { setImmediate } from "node:timers/promises";
import { MemError } from "../core/errors.ts";
import {
  type ForgetChoice,
  type ForgetCounts,
  type ForgetSelection,
  type ForgetWork,
  noForgetCounts,
  noSelection,
  wordMatcher,
} from "../core/records/forget.ts";
import { parseRecordName } from "../core/records/record-name.ts";
import type { AgeLimit } from "../core/records/retention.ts";
import type { ForgetFilter } from "../store/sqlite/forget-filter.ts";
import type { Store } from "../store/sqlite/store.ts";

/** Throws `not_found` for an id or session that is not there. */
export function refuseUnknown(store: Store, choice: ForgetChoice): void {
  if (sessionOf(store, choice) === undefined) {
    throw new MemError("not_found", {
      message: `There is no session ${choice.session}.`,
      hint: "Give the id of a session, or the id that its host has for it.",
    });
  }
  for (const id of choice.ids ?? []) {
    if (named(store, id) !== undefined) continue;
    throw new MemError("not_found", {
      message: `There is no record ${id}. Nothing was deleted.`,
      hint: "Ids come from search: 12 is an observation, S12 a session summary, P12 a prompt.",
    });
  }
}

/** Ids of all records that the choice means. */
export async function select(
  store: Store,
  { choice, spareKept, ages }: Pick<ForgetWork, "choice" | "spareKept" | "ages">,
): Promise<ForgetSelection> {
  const { forgetSelections } = store;
  if (ages !== undefined) return byAge(store, ages, spareKept);
  const session = sessionOf(store, choice);
  if (choice.ids !== undefined || session === undefined) {
    const selection = noSelection();
    for (const text of new Set(choice.ids)) {
      const found = named(store, text);
      if (found !== undefined) selection[found.of].push(found.id);
    }
    return selection;
  }
  const { project = null, before = null, query } = choice;
  const filter: ForgetFilter = { project, session, before, spareKept };
  if (query !== undefined) return containing(store, filter, wordMatcher(query));
  const shared = project === null || before !== null ? [] : forgetSelections.shared({ project, session });
  const selection = await inSteps(forgetSelections.byFilter({ ...filter, events: shared.length > 0 }));
  selection.titles.push(...shared);
  return selection;
}

/** Null without one in the choice; undefined for one that is neither here nor in the trash. */
function sessionOf({ forgetSelections }: Store, { session }: ForgetChoice): number | null | undefined {
  if (session === undefined) return null;
  return forgetSelections.session({ session }) ?? forgetSelections.deletedSession({ session });
}

/** What is older than the limit of its project, with events of sessions that stay. */
async function byAge(
  { forgetSelections }: Store,
  ages: readonly AgeLimit[],
  spareKept: boolean,
): Promise<ForgetSelection> {
  const all = noSelection();
  for (const { projects, before } of ages) {
    const filter: ForgetFilter = { project: null, projects, session: null, before, spareKept, events: true };
    const found = await inSteps(forgetSelections.byFilter(filter));
    for (const kind of Object.keys(all) as (keyof ForgetSelection)[])
      for (const id of found[kind]) all[kind].push(id);
  }
  return all;
}

/** Runs the steps, between which other requests are answered. */
export async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

const countedEvents = 500;
const countedSessions = 50;
const countedObservations = 2_000;

interface ForgetSize {
  counts: ForgetCounts;
  rules: number;
  pinned: number;
  /** The one with the most records first. */
  projects: { project: string; records: number }[];
}

/** What the selection has of each kind and of each project, counted in steps. */
export async function countOf(
  { forgetSelections }: Store,
  { sessions, observations, events, ...others }: ForgetSelection,
): Promise<ForgetSize> {
  const parts: ForgetSelection[] = [{ ...others, sessions: [], observations: [], events: [] }];
  for (let from = 0; from < sessions.length; from += countedSessions)
    parts.push({ ...noSelection(), sessions: sessions.slice(from, from + countedSessions) });
  for (let from = 0; from < observations.length; from += countedObservations)
    parts.push({ ...noSelection(), observations: observations.slice(from, from + countedObservations) });
  const sum = { ...noForgetCounts, rules: 0, pinned: 0 };
  const byProject = new Map<string, number>();
  for (const part of parts) {
    sum.sessions += part.sessions.length;
    for (const { kind, project, count } of forgetSelections.counts(part)) {
      sum[kind] += count;
      if (kind !== "rules" && kind !== "pinned")
        byProject.set(project, (byProject.get(project) ?? 0) + count);
    }
    await setImmediate();
  }
  const gone = { observations: new Set(observations), summaries: new Set(others.summaries) };
  for (let from = 0; from < events.length; from += countedEvents) {
    sum.events += forgetSelections.eventsAlone(events.slice(from, from + countedEvents), gone);
    await setImmediate();
  }
  const { rules, pinned, ...counts } = sum;
  const projects = [...byProject].map(([project, records]) => ({ project, records }));
  return { counts, rules, pinned, projects: projects.sort((a, b) => b.records - a.records) };
}

const namedIn = {
  observation: { of: "observations", read: "observation" },
  session: { of: "summaries", read: "summary" },
  prompt: { of: "prompts", read: "prompt" },
} as const;

function named({ forgetSelections }: Store, text: string) {
  const name = parseRecordName(text);
  if (name === undefined) return undefined;
  const { of, read } = namedIn[name.kind];
  return forgetSelections[read](name.id) === undefined ? undefined : { of, id: name.id };
}

async function containing(
  { forgetSelections }: Store,
  filter: ForgetFilter,
  matches: (text: string) => boolean,
): Promise<ForgetSelection> {
  const selection = noSelection();
  for (const scan of forgetSelections.scans) {
    // An injected text that shows one of them goes with it, as does the subtitle that quotes a prompt.
    const going = new Set([
      ...selection.prompts.map((id) => `P${id}`),
      ...selection.observations.map(String),
      ...selection.summaries.map((id) => `S${id}`),
    ]);
    const goesAnyway = (records: string) => records.split(",").some((name) => going.has(name));
    for (let after = 0; ; await setImmediate()) {
      const rows = scan.step(filter, after);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const { id, text, records = "" } of rows)
        if (matches(text) && !goesAnyway(records)) selection[scan.of].push(id);
      after = last.id;
    }
  }
  return selection;
}

/** Entries of the trash that the choice means too: what was deleted or edited before. */
export async function earlierEntries(
  store: Store,
  { choice, forget }: { choice: ForgetChoice; forget: number | undefined },
): Promise<ReadonlySet<number>> {
  const { query, project = null, session, before = null } = choice;
  const entries = new Set(forget === undefined ? [] : store.forgets.entriesOf({ forget }));
  if (query === undefined && session === undefined && before === null) {
    if (project !== null) for (const entry of store.forgets.entriesOfProject(project)) entries.add(entry);
    return entries;
  }
  const ofSession = sessionOf(store, choice);
  if (ofSession === undefined) return entries;
  const matches = query === undefined ? () => true : wordMatcher(query);
  for (let after = 0; ; await setImmediate()) {
    const rows = store.forgets.entryTexts({ project, session: ofSession, before, after, limit: 50 });
    const last = rows.at(-1);
    if (last === undefined) return entries;
    for (const { entry, text } of rows) if (matches(text)) entries.add(entry);
    after = last.id;
  }
}
