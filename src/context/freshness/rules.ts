// Standing rules of the user: the list, and new rules from `mem remember`.
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import { createdEvents, type InsertManual, insertManual } from "../../core/records/manual-observation.ts";
import { quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import type { Observation, ObservationStatus } from "../../core/records/records.ts";
import {
  type KeptKind,
  keptByAgent,
  type Reach,
  type Speaker,
  typeOfKind,
} from "../../core/records/statement.ts";
import { cleanPrompt, cleanText } from "../../privacy/clean.ts";
import { contradictionsIn } from "../../statements/rules/contradictions.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import { isSameRule } from "../../statements/rules/same-rule.ts";
import { sameSubject } from "../../statements/rules/subject.ts";
import { ruleForm } from "./edit-text.ts";

export interface Rule {
  id: number;
  text: string;
  reach: Reach;
  /** Label of the project in which it was said. */
  project: string;
  forbids: boolean;
  said_by: Speaker | null;
  /** `remembered`: written with `mem remember`; `agent`: kept by the host's agent; `prompt`: found in a prompt. */
  source: "remembered" | "agent" | "prompt";
  /** Not sure that it is one: no agent gets it until the user accepts it. */
  proposed?: true | undefined;
  /** The prompt that it is from, if known. */
  prompt_id: number | null;
  /** How many prompts and commands said it, in whatever words. */
  times_said: number;
  created_at_epoch: number;
  status: ObservationStatus;
  revision: number;
}

/** Ids of two rules that contradict each other. */
interface Contradiction {
  older: number;
  newer: number;
}

/** A project by its label, or by a directory in it. */
interface Where {
  project?: string | undefined;
  cwd?: string | undefined;
}

interface RulesRequest extends Where {
  /** The rules of every project. */
  all: boolean;
  limit: number;
}

interface RulesAnswer {
  /** Null for the rules of all projects or of none. */
  project: string | null;
  /** Rules that apply everywhere first, then by project, newest first. */
  rules: Rule[];
  /** Newest first. */
  proposals: Rule[];
  contradictions: Contradiction[];
}

export interface RememberRequest extends Where {
  /** Default: a rule. Any other kind is a record that says what is so, not how to work. */
  kind?: KeptKind | undefined;
  text: string;
  reach: Reach;
}

export type Remembered =
  | {
      /** `widened`: the rule of a project now applies everywhere. */
      status: "stored" | "exists" | "widened";
      rule: Rule;
      /** Ids of rules that the new one supersedes. */
      replaces: number[];
    }
  /** The whole text is private. */
  | { status: "skipped"; reason: "private" };

export interface Rules {
  list(request: RulesRequest): RulesAnswer;
  /** Resolves after the commit. Throws `invalid_request` for an empty text or a missing project, `excluded` for an excluded one. */
  remember(request: RememberRequest): Promise<Remembered>;
  /** Makes a proposal a rule. Throws `not_found` for an id that is none. */
  accept(id: number): Promise<Rule>;
}

export interface RulesDeps {
  clock: Clock;
  commit<T>(write: () => T): Promise<T>;
  standingRules(request: { projects: readonly string[] | "all"; limit: number }): Observation[];
  /** Active rules that the user has not accepted, newest first. */
  proposals(request: { projects: readonly string[] | "all"; limit: number }): Observation[];
  accept(id: number): Observation | undefined;
  promptIds(ids: readonly number[]): ReadonlyMap<number, number>;
  /** Rules that each of these superseded, at first or second hand. */
  replacedBy(ids: readonly number[]): ReadonlyMap<number, readonly Observation[]>;
  setReach(id: number, reach: Reach): Observation | undefined;
  insert: InsertManual;
  supersede(id: number, by: number): Observation | undefined;
  /** `claim` also stores what is new about the project; `current` resolves an older label. */
  projects: { labelOf(cwd: string): string; claim(cwd: string): string; current(label: string): string };
  publish(event: StreamEvent): void;
  /** Throws `excluded` for a place of which nothing is recorded. */
  refuseExcluded(where: Where): void;
}

export function createRules(deps: RulesDeps): Rules {
  return {
    list(request) {
      const { all, limit } = request;
      const project = all ? null : projectOf(request, deps.projects.labelOf, deps.projects.current);
      const projects = all ? "all" : project === null ? [] : [project];
      const found = deps.standingRules({ projects, limit });
      const rules = found.map(readRules(deps, found)).sort(byReachThenProject);
      const proposed = deps.proposals({ projects, limit });
      const proposals = proposed.map(readRules(deps, proposed));
      return { project, rules, proposals, contradictions: contradictionsIn(rules) };
    },
    async accept(id) {
      const accepted = await deps.commit(() => deps.accept(id));
      if (accepted === undefined)
        throw new MemError("not_found", {
          message: `There is no proposal ${id}.`,
          hint: "Proposals stand below the rules: `mem rules`.",
        });
      deps.publish({ type: "observation_changed", observation: accepted });
      return readRules(deps, [accepted])(accepted);
    },
    async remember(request) {
      const { text, isPrivate } = cleanPrompt(request.text);
      if (isPrivate) return { status: "skipped", reason: "private" };
      const line = text.replace(/\s+/g, " ").trim();
      if (line === "") throw new MemError("invalid_request", noText);
      if (request.project === undefined && request.cwd === undefined && request.reach === "project")
        throw new MemError("invalid_request", noPlace);
      deps.refuseExcluded(request);
      const { status, observation, changed } = await deps.commit(() => store(deps, request, line));
      const created = status === "stored" ? createdEvents(observation) : [];
      const changes = changed.map((each) => ({ type: "observation_changed" as const, observation: each }));
      for (const event of [...created, ...changes]) deps.publish(event);
      const rule = readRules(deps, [observation])(observation);
      return { status, rule, replaces: status === "stored" ? changed.map(({ id }) => id) : [] };
    },
  };
}

const noText = {
  message: "The rule has no text.",
  hint: 'Write it as one sentence: `mem remember "Use pnpm, never npm."`.',
};
const noPlace = {
  message: "A rule of a project needs `project` or `cwd`.",
  hint: "Send one of them, or `reach: everywhere`.",
};

/** Remembered rules belong to no session; they count as one where sessions are counted. */
const rememberedSession = "remembered";
/** Above every statement that was found by its wording. */
const rememberedSalience = 5;
const noProject = "unknown";
const maxRules = 10_000;

interface Stored {
  status: "stored" | "exists" | "widened";
  observation: Observation;
  /** Rules with a new status or reach. */
  changed: Observation[];
}

function store(deps: RulesDeps, request: RememberRequest, text: string): Stored {
  const { reach, kind = "rule" } = request;
  const standing = kind === "rule" || kind === "preference";
  const project = projectOf(request, deps.projects.claim, deps.projects.current) ?? noProject;
  const rules = deps.standingRules({ projects: [project], limit: maxRules });
  const same = (standing ? rules : [])
    .filter((each) => isSameRule(wholeText(each), text))
    // A rule that applies everywhere covers the project.
    .sort((a, b) => Number(b.reach === "everywhere") - Number(a.reach === "everywhere"))[0];
  if (same !== undefined && (same.reach === "everywhere" || reach === "project"))
    return { status: "exists", observation: same, changed: [] };
  const widened = same && deps.setReach(same.id, reach);
  if (widened !== undefined) return { status: "widened", observation: widened, changed: [widened] };
  const observation = insertManual(deps.insert, {
    draft: {
      ...quotedTexts(text),
      obs_type: standing ? "decision" : typeOfKind[kind],
      subtitle: null,
      facts: [],
      concepts: standing ? [ruleForm(text)] : [],
      files_read: [],
      files_modified: [],
      provenance: "user",
      statement: { said_by: "user", kind, standing, reach, salience: rememberedSalience },
    },
    session_id: null,
    sdk_session_id: rememberedSession,
    project,
    prompt_number: null,
    created_at_epoch: deps.clock.now(),
  });
  // As with `mem supersede`, a rule and its successor belong to one project.
  const changed = (standing ? rules : [])
    .filter((each) => each.project === project && each.reach === reach && replaces(text, each))
    .flatMap(({ id }) => deps.supersede(id, observation.id) ?? []);
  return { status: "stored", observation, changed };
}

/** True when the user's rule `text` certainly replaces the older one. */
function replaces(text: string, older: Observation): boolean {
  const rule = { text: wholeText(older), said_by: older.said_by, standing: true };
  return sameSubject(rule, { text, said_by: "user", standing: true }) === "same";
}

function projectOf(
  { project, cwd }: Where,
  labelOf: (cwd: string) => string,
  current: (label: string) => string,
): string | null {
  if (project !== undefined) return current(cleanText(project));
  return cwd === undefined ? null : labelOf(cwd);
}

function readRules(
  { promptIds, replacedBy }: RulesDeps,
  listed: readonly Observation[],
): (observation: Observation) => Rule {
  const ids = listed.map(({ id }) => id);
  const prompts = promptIds(ids);
  const replaced = replacedBy(ids);
  return (observation) => {
    const text = wholeText(observation);
    const before = replaced.get(observation.id) ?? [];
    const repeats = before.filter((one) => isSameRule(wholeText(one), text)).length;
    return ruleOf(observation, {
      text,
      prompt_id: prompts.get(observation.id) ?? null,
      times_said: 1 + repeats,
    });
  };
}

function ruleOf(observation: Observation, read: Pick<Rule, "text" | "prompt_id" | "times_said">): Rule {
  const { id, reach, project, said_by, created_at_epoch, status, revision, generator } = observation;
  return {
    ...read,
    ...(observation.standing === 1 ? {} : { proposed: true }),
    id,
    reach,
    project,
    forbids: parseRule(read.text).forbids,
    said_by,
    source:
      generator === keptByAgent
        ? "agent"
        : observation.sdk_session_id === rememberedSession
          ? "remembered"
          : "prompt",
    created_at_epoch,
    status,
    revision,
  };
}

function byReachThenProject(a: Rule, b: Rule): number {
  if (a.reach !== b.reach) return a.reach === "everywhere" ? -1 : 1;
  return a.reach === "everywhere" ? 0 : a.project.localeCompare(b.project);
}
