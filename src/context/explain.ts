// Explains what an agent would get at each moment of a session, and why each record is in it. Stores nothing.
import { isAbsolute, resolve } from "node:path";
import { noSuchProject } from "../core/records/known-names.ts";
import type { RecordName } from "../core/records/record-name.ts";
import type { Observation } from "../core/records/records.ts";
import { cleanPrompt, cleanText } from "../privacy/clean.ts";
import { familiesToLookUp } from "../statements/commands/families.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";
import { wordsOf } from "../text/words.ts";
import type { ActionInjection } from "./action-context.ts";
import { textTokens } from "./budget.ts";
import type { Context } from "./context.ts";
import type { Injection } from "./context-port.ts";
import { searchedPart } from "./prompt-context.ts";
import { askedFor } from "./prompt-kind.ts";
import type { RankedRecords } from "./prompt-ranking.ts";
import type { Written } from "./written.ts";

/** A project by its label, or by a directory in it. */
export type ExplainedPlace = { project: string; cwd?: undefined } | { project?: undefined; cwd: string };

/** What the session does after its start. */
export type ExplainRequest = ExplainedPlace & {
  prompt?: string | undefined;
  /** Absolute, or relative to the project's folder. */
  file?: string | undefined;
  command?: string | undefined;
};

/** Why a record is in a text. */
export type Reason =
  | { by: "section"; section: string }
  /** Words of the prompt that the record has, and words that only its turn has. */
  | { by: "score"; score: number; shared: string[]; turn: string[] }
  | { by: "search" }
  | { by: "file" }
  | { by: "rule" }
  | { by: "family"; family: string };

export interface ExplainedRecord extends RecordName {
  /** Null for a session summary. */
  observation: Pick<Observation, "obs_type" | "said_by" | "standing" | "reach" | "salience"> | null;
  reason: Reason;
}

export interface ExplainedMoment {
  moment: "start" | "prompt" | "file" | "command";
  /** Exactly what a host injects. */
  text: string;
  tokens: number;
  records: ExplainedRecord[];
  /** Why the text is empty; null when it is not. */
  nothing: string | null;
}

export interface Explanation {
  project: string;
  /** A message with the next command when the project does not exist. */
  unknown: string | null;
  /** Records that no moment shows, for the memory files of this agent say them; null when there is none. */
  left_out: { agent: string; records: number[] } | null;
  moments: ExplainedMoment[];
}

export type Explain = (request: ExplainRequest) => Promise<Explanation>;

interface Place {
  project: string;
  cwd: string | null;
  written: Written;
}

export interface ExplainDeps {
  byId(id: number): Observation | undefined;
  /** Labels of all projects. */
  projects(): string[];
  placeOf(where: ExplainedPlace): Pick<Place, "project" | "cwd">;
  /** True where agents get nothing: the project is off, or its folder is excluded. */
  isExcluded(where: Pick<Place, "project" | "cwd">): boolean;
  /** What the memory files of one agent say in `cwd`. */
  writtenAt(cwd: string): Promise<Written>;
  /** The name of that agent. */
  agent: string;
  context: Pick<Context, "alreadyWritten" | "forSession" | "forPrompt" | "rankFor" | "forFile" | "forAction">;
}

/** The moments follow each other as in one session: a prompt does not repeat what the start shows. */
export function createExplain(deps: ExplainDeps): Explain {
  return async (request) => {
    const { prompt, file, command } = request;
    const { project, cwd } = deps.placeOf(request);
    const written = cwd === null ? new Set<string>() : await deps.writtenAt(cwd);
    const place = { project, cwd, written };
    if (deps.isExcluded({ project, cwd })) return nothingThere(project, request);
    const seen: Seen = { records: new Set(), changed: new Set() };
    const moments = [await atStart(deps, place, seen)];
    if (prompt !== undefined) moments.push(await atPrompt(deps, { ...place, prompt }, seen));
    if (file !== undefined) moments.push(await beforeFile(deps, { ...place, file }, seen));
    if (command !== undefined) moments.push(await beforeCommand(deps, { ...place, command }));
    const isNamed = request.project !== undefined && !hasOwnRecord(deps, place.project, moments);
    const unknown = isNamed ? unknownProject(place.project, deps.projects()) : null;
    return { project: place.project, unknown, left_out: leftOut(deps, place), moments };
  };
}

function nothingThere(project: string, { prompt, file, command }: ExplainRequest): Explanation {
  const asked = { start: "", prompt, file, command };
  const nothing =
    "Agents get nothing here: the project is off (`mem project on <name>`), or its folder is excluded (`mem settings get MEM_EXCLUDE_PATHS`).";
  const moments = (["start", "prompt", "file", "command"] as const)
    .filter((moment) => asked[moment] !== undefined)
    .map((moment) => momentOf(moment, "", { records: [], nothing }));
  return { project, unknown: null, left_out: null, moments };
}

function leftOut({ context, agent }: ExplainDeps, place: Place): Explanation["left_out"] {
  const records = context.alreadyWritten(place);
  return records.length === 0 ? null : { agent, records };
}

/** Records that the agent has in its context. */
interface Seen {
  records: Set<number>;
  changed: Set<number>;
}

const none: ReadonlySet<number> = new Set();

function add(seen: Seen, { records, changed = [] }: Injection): void {
  for (const id of records) seen.records.add(id);
  for (const id of changed) seen.changed.add(id);
}

async function atStart(deps: ExplainDeps, place: Place, seen: Seen): Promise<ExplainedMoment> {
  const injection = await deps.context.forSession(place);
  add(seen, injection);
  const records = (injection.places ?? []).map(({ record, section }) =>
    explained(deps, record, { by: "section", section }),
  );
  const nothing = deps.projects().includes(place.project)
    ? "The context settings allow no record of the project, and no rule applies everywhere."
    : "The project has no records yet, and no rule applies everywhere.";
  return momentOf("start", injection.text, { records, nothing });
}

async function atPrompt(
  deps: ExplainDeps,
  { prompt, ...place }: Place & { prompt: string },
  seen: Seen,
): Promise<ExplainedMoment> {
  const { text, isPrivate } = cleanPrompt(prompt);
  if (isPrivate) {
    const nothing = "The whole prompt is private: no record is looked up for it.";
    return momentOf("prompt", "", { records: [], nothing });
  }
  const words = searchedPart(text);
  const known = new Set(seen.records);
  const injection = await deps.context.forPrompt({ ...place, words, known, withTimeline: false });
  add(seen, injection);
  const { project, written } = place;
  const ranking = deps.context.rankFor({ project, words, known, written });
  const records = injection.records.map((id) => ofId(deps, id, promptReason(words, id, ranking)));
  if (injection.text !== "") return momentOf("prompt", injection.text, { records, nothing: "" });
  const unseen = deps.context.rankFor({ project, words, known: none, written });
  return momentOf("prompt", "", { records, nothing: noRecordFits(words, ranking, unseen) });
}

function promptReason(prompt: string, id: number, ranking: RankedRecords | null): Reason {
  const found = ranking?.ranked.find(({ record }) => record.id === id);
  if (found === undefined) return { by: "search" };
  const { score, own, turn } = found;
  return {
    by: "score",
    score: Math.round(score * 10) / 10,
    shared: wordsWith(prompt, own),
    turn: wordsWith(prompt, turn),
  };
}

/** The words of the prompt that contain the terms; a pair of characters (Chinese, Japanese) stands for itself. */
function wordsWith(prompt: string, terms: readonly string[]): string[] {
  const words = new Map<string, string>();
  for (const { text, isRun } of wordsOf(prompt))
    if (!isRun) for (const term of topicTermsOf(text)) if (!words.has(term)) words.set(term, text);
  return [...new Set(terms.map((term) => words.get(term) ?? term))];
}

// `unseen` is the ranking for an agent that has no record yet.
function noRecordFits(prompt: string, ranking: RankedRecords | null, unseen: RankedRecords | null): string {
  if (ranking !== null && ranking.ranked.length > 0)
    return "The records that fit this prompt exceed the token budget.";
  if (unseen !== null && unseen.ranked.length > 0) {
    const ids = unseen.ranked.map(({ record }) => record.id);
    return `No other record fits this prompt: the start has ${named(ids)} already.`;
  }
  if (askedFor(prompt).kind === "general") return "No record fits this prompt: it reads as general talk.";
  return ranking === null
    ? "No record fits this prompt: a search for its words finds none."
    : "No record fits this prompt: none shares enough of its words.";
}

async function beforeFile(
  deps: ExplainDeps,
  { project, cwd, file }: Place & { file: string },
  seen: Seen,
): Promise<ExplainedMoment> {
  const path = isAbsolute(file) || cwd === null ? file : resolve(cwd, file);
  const request = { project, cwd, path };
  const rule = await deps.context.forAction({ project, cwd, action: { path }, known: none });
  const knownFile = { changed: seen.changed, isFileKnown: false, contents: new Set<string>() };
  const found = await deps.context.forFile({ ...request, known: seen.records, knownFile });
  const text = [rule?.text, found?.text].filter((part) => part !== undefined && part !== "").join("\n");
  const records = [
    ...ofAction(deps, rule),
    ...(found?.records ?? []).map((id) => ofId(deps, id, { by: "file" })),
  ];
  if (text !== "") return momentOf("file", text, { records, nothing: "" });
  const all = await deps.context.forFile({ ...request, known: none });
  const nothing =
    all === null
      ? "No record is about this file, and no rule names it."
      : `No other record is about this file: the agent has ${named(all.records)} already.`;
  return momentOf("file", "", { records: [], nothing });
}

async function beforeCommand(
  deps: ExplainDeps,
  { project, cwd, command }: Place & { command: string },
): Promise<ExplainedMoment> {
  const found = await deps.context.forAction({ project, cwd, action: { command }, known: none });
  const families = familiesToLookUp(command).map((family) => `\`${cleanText(family)}\``);
  const failures =
    families.length === 0
      ? "it runs nothing that failures are kept for"
      : `no failure of ${families.join(", ")} that concerns it is known`;
  return momentOf("command", found?.text ?? "", {
    records: ofAction(deps, found),
    nothing: `No rule forbids this command, and ${failures}.`,
  });
}

function ofAction(deps: ExplainDeps, found: ActionInjection | null): ExplainedRecord[] {
  return (found?.quoted ?? []).map(({ record, family }) =>
    ofId(deps, record, family === null ? { by: "rule" } : { by: "family", family }),
  );
}

function momentOf(
  moment: ExplainedMoment["moment"],
  text: string,
  { records, nothing }: { records: ExplainedRecord[]; nothing: string },
): ExplainedMoment {
  return { moment, text, tokens: textTokens(text), records, nothing: text === "" ? nothing : null };
}

function ofId(deps: ExplainDeps, id: number, reason: Reason): ExplainedRecord {
  return explained(deps, { kind: "observation", id }, reason);
}

function explained({ byId }: ExplainDeps, { kind, id }: RecordName, reason: Reason): ExplainedRecord {
  const found = kind === "observation" ? byId(id) : undefined;
  if (found === undefined) return { kind, id, observation: null, reason };
  const { obs_type, said_by, standing, reach, salience } = found;
  return { kind, id, observation: { obs_type, said_by, standing, reach, salience }, reason };
}

function named(ids: readonly number[]): string {
  return ids.map((id) => `#${id}`).join(", ");
}

// A rule can be remembered for a project before an agent works in it.
function hasOwnRecord({ byId }: ExplainDeps, project: string, moments: readonly ExplainedMoment[]): boolean {
  const records = moments.flatMap((moment) => moment.records);
  return records.some(({ kind, id }) => kind === "observation" && byId(id)?.project === project);
}

function unknownProject(project: string, known: readonly string[]): string | null {
  if (known.length === 0) return "No agent has worked in a project yet. Install mem for one: `mem install`.";
  return noSuchProject(project, known);
}
