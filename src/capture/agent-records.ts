// What the host's agent keeps itself: `remember` and `review`, over MCP. It has read what the user said and knows what came
// of it, but a page that it read may speak through it: what it keeps is checked here before it is a rule.
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { createdEvents, type InsertManual, insertManual } from "../core/records/manual-observation.ts";
import type { AgentSession, Judged, Observation } from "../core/records/records.ts";
import { isProposal, type KeptKind, keptByAgent, type StatementKind } from "../core/records/statement.ts";
import { commandIn, type ToolUse } from "../core/tools/tool-kind.ts";
import { userWordsIn } from "../core/tools/user-answers.ts";
import { cleanPrompt, cleanText } from "../privacy/clean.ts";
import { cleanInput } from "./clean-input.ts";
import { type EventPlace, type Exclusions, refuseExcluded } from "./exclusions.ts";
import { type Checked, isUserRule, keptDraft, lineOf, mostKept, saidQuote } from "./kept-record.ts";

interface Where {
  /** Where the agent works. */
  cwd?: string | undefined;
  project?: string | undefined;
  /** Host agent, for example `claude-code`. */
  host?: string | undefined;
}

export interface AgentRecord extends Where {
  kind: KeptKind;
  text: string;
  /** Words of the user that the record rests on. */
  quote?: string | undefined;
  /** The record that no longer holds. */
  replaces?: number | undefined;
}

export interface AgentVerdict extends Where {
  id: number;
  verdict: "wrong" | "outdated" | "done";
  why?: string | undefined;
}

export type Kept =
  | {
      /** `exists`: the same text stands already. */
      status: "stored" | "exists";
      observation: Observation;
      /** The kind as stored: a command that did not run in the session is a fact. */
      kind: StatementKind;
      /** A rule or preference whose quote the user did not type: injected once the user accepts it. */
      proposed: boolean;
      replaced: Observation | null;
      /** Why the record named by `replaces` stands. */
      kept_old: "unknown" | "of the user" | null;
    }
  | { status: "skipped"; reason: "private" };

interface AgentRecordsDeps {
  clock: Clock;
  store: {
    commit<T>(write: () => T): Promise<T>;
    observations: { byId(id: number): Observation | undefined; insert: InsertManual };
    review: { judge(id: number, standing: Judged): Observation | undefined };
    agentRecords: {
      /** The session of the project that was active last, of the host if it has one. */
      session(where: { project: string; host: string | null }): AgentSession | undefined;
      prompts(sessionId: number): string[];
      toolUses(sessionId: number): ToolUse[];
      /** How many records the agent kept in the session since a time. */
      count(sdkSessionId: string, since: number): number;
      /** What stands in the project with this text, rules of every project included. */
      sameText(where: { project: string; text: string }): Observation | undefined;
    };
  };
  projects: { labelOf(cwd: string): string; claim(cwd: string): string; current(label: string): string };
  exclusions: Exclusions;
  publish(event: StreamEvent): void;
  onNewText(ids: readonly number[]): void;
}

export interface AgentRecords {
  /** Resolves after the commit. Throws `invalid_request`, `conflict` at the limit of a session, and `excluded`. */
  keep(record: AgentRecord): Promise<Kept>;
  /** Throws `not_found` for another project's record, `conflict` for one that only the user may judge. */
  judge(verdict: AgentVerdict): Promise<Observation>;
}

export function createAgentRecords(deps: AgentRecordsDeps): AgentRecords {
  const publishChanged = (observation: Observation): void =>
    deps.publish({ type: "observation_changed", observation });
  const verdicts = new RecentMap<string, number>(1_000);
  return {
    async keep(given) {
      const { text, isPrivate } = cleanPrompt(given.text);
      if (isPrivate) return { status: "skipped", reason: "private" };
      const line = lineOf(text);
      if (line === "") throw new MemError("invalid_request", { message: "The record has no text." });
      const record = { ...given, ...placeOf(deps, given, [line]), text: line };
      const kept = await deps.store.commit(() => store(deps, record));
      if (kept instanceof MemError) throw kept;
      if (kept.status !== "stored") return kept;
      for (const event of createdEvents(kept.observation)) deps.publish(event);
      if (kept.replaced !== null) publishChanged(kept.replaced);
      deps.onNewText([kept.observation.id]);
      return kept;
    },
    async judge(given) {
      const { project } = placeOf(deps, given);
      const judged = await deps.store.commit(() => judge(deps, { ...given, project }, verdicts));
      if (judged instanceof MemError) throw judged;
      publishChanged(judged);
      return judged;
    },
  };
}

const sessionMs = 24 * 3_600_000;
// Records of an agent without a known session, as the ones of `mem remember`.
const noSession = "remembered";

type Placed<T> = T & { project: string };

function placeOf({ projects, exclusions }: AgentRecordsDeps, given: Where, texts: string[] = []) {
  const { cwd, project: named } = cleanInput({ ...given, claudeSessionId: "" });
  const place: EventPlace = { cwd, project: named };
  refuseExcluded(exclusions, place, texts);
  if (named !== undefined) return { project: projects.current(named), cwd };
  if (cwd !== undefined) return { project: projects.labelOf(cwd), cwd };
  throw new MemError("invalid_request", {
    message: "A record needs `project` or `cwd`.",
    hint: "Send the directory in which the agent works.",
  });
}

function store(deps: AgentRecordsDeps, record: Placed<AgentRecord>): Kept | MemError {
  const { agentRecords, observations } = deps.store;
  const { project, text } = record;
  const now = deps.clock.now();
  const session = agentRecords.session({ project, host: record.host ?? null });
  // What the agent says of a private prompt is private too.
  if (session?.prompt_private === 1) return { status: "skipped", reason: "private" };
  const same = agentRecords.sameText({ project, text });
  const sdk_session_id = session?.sdk_session_id ?? noSession;
  if (same === undefined && agentRecords.count(sdk_session_id, now - sessionMs) >= mostKept)
    return tooMany("kept");
  const { kind, isSure, quote } = checked(deps, record, session);
  // The user says now what was proposed before.
  const replaces = record.replaces ?? (isSure && same && isProposal(same) ? same.id : undefined);
  const { old, kept_old } = replacedBy(deps, { ...record, replaces }, isSure);
  if (same !== undefined && same.id !== old?.id)
    return { ...nothingNew, observation: same, kind, proposed: isProposal(same) };
  if (record.cwd !== undefined && record.project === undefined) deps.projects.claim(record.cwd);
  const observation = insertManual(observations.insert, {
    draft: keptDraft({ text, kind, isSure, quote }),
    session_id: session?.id ?? null,
    sdk_session_id,
    project,
    prompt_number: session?.newest_prompt || null,
    created_at_epoch: now,
    branch: session?.branch ?? null,
    commit: session?.commit ?? null,
    generator: keptByAgent,
  });
  const replaced = old && deps.store.review.judge(old.id, replacedTo(observation.id));
  const proposed = isUserRule(kind) && !isSure;
  return { status: "stored", observation, kind, proposed, replaced: replaced ?? null, kept_old };
}

const nothingNew = { status: "exists", replaced: null, kept_old: null } as const;

function replacedTo(superseded_by: number): Judged {
  return { status: "superseded", superseded_by, note: null };
}

function tooMany(done: "kept" | "judged"): MemError {
  return new MemError("conflict", {
    message: `This session has ${done} ${mostKept} records, which is the most. Nothing was changed.`,
    hint: "Keep what later sessions need, not what was done. Replace a record: name its id in `replaces`.",
  });
}

/** What the session shows of it: the user's words, and the command that ran. */
function checked(
  { store: { agentRecords } }: AgentRecordsDeps,
  { kind, text, quote }: AgentRecord,
  session: AgentSession | undefined,
): Checked {
  const uses = (): ToolUse[] => (session === undefined ? [] : agentRecords.toolUses(session.id));
  if (kind === "command" && !uses().some((use) => ran(commandIn(use.tool_input).text, text)))
    return { kind: "fact", isSure: false, quote: null };
  const prompts = session === undefined ? [] : agentRecords.prompts(session.id);
  const said = saidQuote({ text, quote }, prompts, () => uses().flatMap(userWordsIn));
  return { kind, isSure: said !== null, quote: said };
}

/** True when the command, or a part of it joined by `&&` and the like, stands in the text. */
function ran(command: string, text: string): boolean {
  return command
    .split(/\n|&&|\|\||[;|]/)
    .map((part) => part.trim().replace(/\s+/g, " "))
    .some((part) => part.length >= shortestCommand && text.includes(part));
}

const shortestCommand = 4;

type Replaced = { old?: Observation; kept_old: "unknown" | "of the user" | null };

/** A record of another project does not exist here; the user's own words give way to words that the user typed. */
function replacedBy(deps: AgentRecordsDeps, record: Placed<AgentRecord>, isSure: boolean): Replaced {
  if (record.replaces === undefined) return { kept_old: null };
  const old = deps.store.observations.byId(record.replaces);
  if (old === undefined || !isHere(old, record.project)) return { kept_old: "unknown" };
  return isOfUser(old) || (old.standing === 1 && !isSure)
    ? { kept_old: "of the user" }
    : { old, kept_old: null };
}

function isHere({ project, status }: Observation, here: string): boolean {
  return project === here && status === "active";
}

// Only the user takes back what the user wrote, edited or pinned.
function isOfUser({ generator, pinned }: Observation): boolean {
  return generator === "manual" || pinned === 1;
}

function judge(
  { store }: AgentRecordsDeps,
  { id, verdict, why, project, host }: Placed<AgentVerdict>,
  verdicts: Map<string, number>,
) {
  const observation = store.observations.byId(id);
  if (observation === undefined || observation.project !== project)
    return new MemError("not_found", {
      message: `No record ${id} in this project.`,
      hint: "Ids stand behind the lines at the start of a session, and in the answers of `search`.",
    });
  if (isOfUser(observation) || observation.standing === 1)
    return new MemError("conflict", {
      message: `#${id} is the user's: only words of the user take it back. Nothing was changed.`,
      hint: `Did they say so now? Call \`remember\` with their words as \`quote\` and \`replaces\` ${id}.`,
    });
  // It has ended already, and by a better reason perhaps.
  if (observation.status !== "active") return observation;
  const session = store.agentRecords.session({ project, host: host ?? null })?.sdk_session_id ?? noSession;
  const before = verdicts.get(session) ?? 0;
  if (before >= mostKept) return tooMany("judged");
  verdicts.set(session, before + 1);
  const reason = cleanText(lineOf(why ?? ""));
  const note = `Judged by the agent: ${verdict}${reason === "" ? "" : `, ${reason}`}`;
  const status = verdict === "wrong" ? "rejected" : "superseded";
  return store.review.judge(id, { status, superseded_by: null, note }) ?? observation;
}
