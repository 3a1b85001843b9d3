// Standing rules in the user's hands: those that apply, and new ones that the user writes.
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import { quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import type { Observation, ObservationStatus } from "../../core/records/records.ts";
import type { Reach, Speaker } from "../../core/records/statement.ts";
import { cleanPrompt, cleanText } from "../../privacy/clean.ts";

export interface Rule {
  id: number;
  text: string;
  reach: Reach;
  /** Label of the project in which it was said. */
  project: string;
  forbids: boolean;
  said_by: Speaker | null;
  /** `remembered`: written by the user with `mem remember`; `prompt`: found in what was said. */
  source: "remembered" | "prompt";
  /** The prompt that it is from, where that is known. */
  prompt_id: number | null;
  created_at_epoch: number;
  status: ObservationStatus;
  revision: number;
}

/** Two rules that contradict each other, by id. */
export interface Contradiction {
  older: number;
  newer: number;
}

/** Which project is meant: by its label, or by a directory in it. */
interface Where {
  project?: string | undefined;
  cwd?: string | undefined;
}

export interface RulesRequest extends Where {
  /** The rules of every project. */
  all: boolean;
  limit: number;
}

export interface RulesAnswer {
  /** Of the project whose rules these are, besides those that apply everywhere; null for all or none. */
  project: string | null;
  /** Those that apply everywhere first, then by project, newest first. */
  rules: Rule[];
  contradictions: Contradiction[];
}

export interface RememberRequest extends Where {
  text: string;
  reach: Reach;
}

export type Remembered =
  | {
      /** `widened`: the rule of a project applies everywhere now. */
      status: "stored" | "exists" | "widened";
      rule: Rule;
      /** Rules that the new one supersedes, by id. */
      replaces: number[];
    }
  /** The whole text is private. */
  | { status: "skipped"; reason: "private" };

export interface Rules {
  list(request: RulesRequest): RulesAnswer;
  /** Resolves after the rule is committed. Throws `invalid_request` for a text or a place that says nothing. */
  remember(request: RememberRequest): Promise<Remembered>;
}

export interface RulesDeps {
  clock: Clock;
  commit<T>(write: () => T): Promise<T>;
  standingRules(request: { projects: readonly string[] | "all"; limit: number }): Observation[];
  promptIds(ids: readonly number[]): ReadonlyMap<number, number>;
  setReach(id: number, reach: Reach): Observation | undefined;
  insert(rule: NewRule): Observation | undefined;
  /** Marks `id` as superseded by another observation. */
  supersede(id: number, by: number): Observation | undefined;
  /** True when the user's rule `text` certainly takes the place of the older one. */
  replaces(text: string, older: Rule): boolean;
  /** The label of the directory's project; `claimOf` also keeps what is new of the project. */
  labelOf(cwd: string): string;
  claimOf(cwd: string): string;
  /** What a label means today. */
  projectNamed(label: string): string;
  forbids(text: string): boolean;
  contradictionsIn(rules: readonly Rule[]): Contradiction[];
  publish(events: readonly StreamEvent[]): void;
  eventsOf(observation: Observation): StreamEvent[];
}

interface NewRule {
  draft: Omit<DraftObservation, "sources">;
  sources: readonly number[];
  session_id: null;
  sdk_session_id: string;
  project: string;
  prompt_number: null;
  generator: string;
  agent_id: null;
  agent_type: null;
  discovery_tokens: number;
  generation_key: null;
  created_at_epoch: number;
}

export function createRules(deps: RulesDeps): Rules {
  return {
    list(request) {
      const { all, limit } = request;
      const project = all ? null : projectOf(request, deps.labelOf, deps.projectNamed);
      const found = deps.standingRules({ projects: all ? "all" : project === null ? [] : [project], limit });
      const prompts = deps.promptIds(found.map(({ id }) => id));
      const rules = found.map((each) => ruleOf(each, deps, prompts)).sort(byReachThenProject);
      return { project, rules, contradictions: deps.contradictionsIn(rules) };
    },
    async remember(request) {
      const { text, isPrivate } = cleanPrompt(request.text);
      if (isPrivate) return { status: "skipped", reason: "private" };
      const line = text.replace(/\s+/g, " ").trim();
      if (line === "") throw noText();
      if (request.project === undefined && request.cwd === undefined && request.reach === "project")
        throw noPlace();
      const { status, observation, changed = [] } = await deps.commit(() => store(deps, request, line));
      if (status === "stored") deps.publish(deps.eventsOf(observation));
      deps.publish(changed.map((each) => ({ type: "observation_changed", observation: each })));
      const rule = ruleOf(observation, deps, deps.promptIds([observation.id]));
      return { status, rule, replaces: status === "stored" ? changed.map(({ id }) => id) : [] };
    },
  };
}

/** One `sdk_session_id` for all of them: they belong to no session, and count as one where sessions are counted. */
const rememberedSession = "remembered";
/** The user asked for it in so many words: no statement that was found by its wording goes before it. */
const rememberedSalience = 5;
const ofNoProject = "unknown";
const mostRules = 10_000;

interface Stored {
  status: "stored" | "exists" | "widened";
  observation: Observation;
  /** Those that are otherwise now. */
  changed?: Observation[];
}

function store(deps: RulesDeps, request: RememberRequest, text: string): Stored {
  const { reach } = request;
  const project = projectOf(request, deps.claimOf, deps.projectNamed) ?? ofNoProject;
  const rules = deps.standingRules({ projects: [project], limit: mostRules });
  const same = rules
    .filter((each) => key(wholeText(each)) === key(text))
    // One that applies everywhere covers the project.
    .sort((a, b) => Number(b.reach === "everywhere") - Number(a.reach === "everywhere"))[0];
  if (same !== undefined && (same.reach === "everywhere" || reach === "project"))
    return { status: "exists", observation: same };
  const widened = same && deps.setReach(same.id, reach);
  if (widened !== undefined) return { status: "widened", observation: widened, changed: [widened] };
  const observation = insert(deps, { text, reach, project });
  // As `mem supersede` has it: a rule and its successor are of one project.
  const replaced = rules.filter(
    (each) => each.project === project && each.reach === reach && deps.replaces(text, ruleOf(each, deps)),
  );
  const changed = replaced.flatMap(({ id }) => deps.supersede(id, observation.id) ?? []);
  return { status: "stored", observation, changed };
}

function insert(
  deps: RulesDeps,
  { text, reach, project }: { text: string; reach: Reach; project: string },
): Observation {
  const stored = deps.insert({
    draft: draftOf(text, reach, deps.forbids(text)),
    sources: [],
    session_id: null,
    sdk_session_id: rememberedSession,
    project,
    prompt_number: null,
    generator: "manual",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 0,
    generation_key: null,
    created_at_epoch: deps.clock.now(),
  });
  if (stored === undefined) throw new TypeError("an insert without a key was ignored");
  return stored;
}

function draftOf(text: string, reach: Reach, forbids: boolean): Omit<DraftObservation, "sources"> {
  return {
    ...quotedTexts(text),
    obs_type: "decision",
    subtitle: null,
    facts: [],
    concepts: [forbids ? "gotcha" : "pattern"],
    files_read: [],
    files_modified: [],
    provenance: "user",
    statement: { said_by: "user", standing: true, reach, salience: rememberedSalience },
  };
}

function projectOf(
  { project, cwd }: Where,
  labelOf: (cwd: string) => string,
  projectNamed: (label: string) => string,
): string | null {
  if (project !== undefined) return projectNamed(cleanText(project));
  return cwd === undefined ? null : labelOf(cwd);
}

function ruleOf(
  observation: Observation,
  { forbids }: Pick<RulesDeps, "forbids">,
  prompts: ReadonlyMap<number, number> = new Map(),
): Rule {
  const { id, reach, project, said_by, created_at_epoch, status, revision } = observation;
  const text = wholeText(observation);
  return {
    id,
    text,
    reach,
    project,
    forbids: forbids(text),
    said_by,
    source: observation.sdk_session_id === rememberedSession ? "remembered" : "prompt",
    prompt_id: prompts.get(id) ?? null,
    created_at_epoch,
    status,
    revision,
  };
}

function byReachThenProject(a: Rule, b: Rule): number {
  if (a.reach !== b.reach) return a.reach === "everywhere" ? -1 : 1;
  return a.reach === "everywhere" ? 0 : a.project.localeCompare(b.project);
}

// The last sign of a sentence makes no other rule.
function key(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[.!。！]+$/u, "")
    .trim();
}

function noText(): MemError {
  return new MemError("invalid_request", {
    message: "The rule has no text.",
    hint: 'Write it as one sentence: `mem remember "Use pnpm, never npm."`.',
  });
}

function noPlace(): MemError {
  return new MemError("invalid_request", {
    message: "A rule of a project needs `project` or `cwd`.",
    hint: "Send one of them, or `reach: everywhere`.",
  });
}
