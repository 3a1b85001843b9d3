// Marks statements that a turn makes outdated, fixed failures, replaced rules and finished work, and rules that it makes sure.
import type { HostedObservation, NewHostedObservation } from "../../core/records/hosted-record.ts";
import { wholeText } from "../../core/records/quoted-text.ts";
import type { ComparedRule } from "../../core/records/records.ts";
import { keptByAgent } from "../../core/records/statement.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";
import {
  type FixRecord,
  fixesOf,
  maxRules,
  maxStatements,
  rulesAndProposals,
  salientStatements,
  standingRules,
} from "./statements.ts";

/** Effects of the turn that ends with a batch on earlier records. */
export interface EndedTurn {
  /** Events whose records become routine. */
  settled: readonly string[];
  /** Command families that passed. */
  passed: readonly string[];
  /** True when a fix takes the place of an older one of the same family, by their texts. */
  replacesFix(newerText: string, olderText: string): boolean;
  /** Its end (epoch milliseconds), and whether it finished an open work item. */
  finished: { at: number; finishes(openText: string): boolean } | undefined;
  /** True when the rule replaces or repeats an older one. */
  replaces(rule: ComparedRule, older: ComparedRule): boolean;
  /** True when two rules say the same. */
  saysSame(one: ComparedRule, other: ComparedRule): boolean;
}

/** A record that was stored just now. */
type StoredRecord = Pick<NewHostedObservation, "id" | "statement">;

/** Marks outdated statements inside the caller's transaction; statements written by hand stay. */
export async function markOutdated(
  connection: Queryable,
  scope: ProjectScope,
  stored: readonly StoredRecord[],
  turn: EndedTurn,
): Promise<void> {
  const outdated: Outdated = new Map();
  await outdateFixes(connection, scope, { stored, turn, outdated });
  const sure = await confirmRules(connection, scope, { stored, turn, outdated });
  await outdateRules(connection, scope, { stored: [...stored, ...sure], turn, outdated });
  await outdateOpenWork(connection, scope, { turn, outdated });
  if (outdated.size === 0) return;
  await connection.query({
    name: "mark-outdated",
    text: `update observations o
      set superseded_by = given.by, ended = given.by is null, updated_at = now()
      from unnest($3::uuid[], $4::uuid[]) given (id, by)
      where o.team_id = $1 and o.project_id = $2 and o.id = given.id`,
    values: [scope.team_id, scope.project_id, [...outdated.keys()], [...outdated.values()]],
  });
}

/** Outdated record to the record that supersedes it; null when it ended. */
type Outdated = Map<string, string | null>;

interface Found {
  stored: readonly StoredRecord[];
  turn: EndedTurn;
  outdated: Outdated;
}

async function outdateFixes(
  connection: Queryable,
  scope: ProjectScope,
  { stored, turn: { passed, replacesFix }, outdated }: Found,
): Promise<void> {
  const families = new Set([...passed, ...stored.flatMap(({ statement }) => statement?.families ?? [])]);
  if (families.size === 0) return;
  const found = await fixesOf(connection, scope, { families: [...families], limit: maxStatements });
  const known = found.filter(({ said_by }) => said_by === "tool");
  const isNew = new Set(stored.map(({ id }) => id));
  for (const one of known) {
    const isPassed = one.families.some((family) => passed.includes(family));
    if (!isNew.has(one.id) && isFailure(one) && isPassed) outdated.set(one.id, null);
  }
  // Oldest first, so that the newest of several fixes stays.
  for (const by of known.filter(({ id }) => isNew.has(id)).toReversed()) {
    for (const older of known) {
      const isOfFamily = older.families.some((family) => by.families.includes(family));
      // An open failure does not outdate an earlier fix.
      const isWorse = isFailure(older) || by.obs_type === "bugfix";
      if (!isOfFamily || !isWorse || !isBefore(older, by) || outdated.has(older.id)) continue;
      if (replacesFix(wholeText(by), wholeText(older))) outdated.set(older.id, by.id);
    }
  }
}

function isFailure({ obs_type }: FixRecord): boolean {
  return obs_type === "discovery";
}

function isBefore(one: HostedObservation, other: HostedObservation): boolean {
  const difference = one.created_at_epoch - other.created_at_epoch || one.seq - other.seq;
  return difference < 0;
}

/** A rule that the user said in another session in other words is sure, and replaces the proposals. Returns those rules. */
async function confirmRules(
  connection: Queryable,
  scope: ProjectScope,
  { stored, turn, outdated }: Found,
): Promise<StoredRecord[]> {
  const said = stored.filter(({ statement }) => statement?.said_by === "user" && statement.kind === "rule");
  const known = said.length === 0 ? [] : await rulesAndProposals(connection, scope, maxRules);
  const sure: StoredRecord[] = [];
  for (const { id, statement } of said) {
    const rule = known.find((one) => one.id === id);
    if (rule === undefined || !statement) continue;
    const isSame = (one: HostedObservation) => turn.saysSame(comparedOf(one), comparedOf(rule));
    const same = known.filter((one) => one.id !== id && !one.standing && isSame(one));
    // Word for word the same in a further session is a template.
    const isAgain = same.some(
      ({ session_id, summary }) => session_id !== rule.session_id && summary !== rule.summary,
    );
    if (isAgain && !rule.standing) sure.push({ id, statement: { ...statement, standing: true } });
    if (isAgain || rule.standing) for (const one of same) outdated.set(one.id, id);
  }
  if (sure.length === 0) return [];
  await connection.query({
    name: "confirm-rules",
    text: `update observations o
      set standing = true, updated_at = now()
      where o.team_id = $1 and o.project_id = $2 and o.id = any($3::uuid[])`,
    values: [scope.team_id, scope.project_id, sure.map(({ id }) => id)],
  });
  return sure;
}

async function outdateRules(
  connection: Queryable,
  scope: ProjectScope,
  { stored, turn, outdated }: Found,
): Promise<void> {
  const said = stored.filter(({ statement }) => statement?.standing === true && statement.said_by === "user");
  const isNew = new Set(said.map(({ id }) => id));
  if (isNew.size === 0) return;
  // They include rules for everywhere of other projects.
  const rules = (await standingRules(connection, scope, maxRules)).filter(
    ({ project_id, kind }) => project_id === scope.project_id && kind === "observation",
  );
  for (const rule of rules.filter(({ id }) => isNew.has(id)).toReversed()) {
    for (const older of rules) {
      if (older.id === rule.id || outdated.has(older.id)) continue;
      if (turn.replaces(comparedOf(rule), comparedOf(older))) outdated.set(older.id, rule.id);
      else if (turn.replaces(comparedOf(older), comparedOf(rule))) outdated.set(rule.id, older.id);
    }
  }
}

// The server has no pins.
function comparedOf({ seq, project_id, ...rule }: HostedObservation): ComparedRule {
  return { ...rule, id: seq, project: project_id, pinned: 0 };
}

async function outdateOpenWork(
  connection: Queryable,
  scope: ProjectScope,
  { turn: { finished }, outdated }: Pick<Found, "turn" | "outdated">,
): Promise<void> {
  if (finished === undefined) return;
  const statements = await salientStatements(connection, scope, maxStatements);
  for (const one of statements) {
    const text = wholeText(one);
    const isFinished = one.created_at_epoch < finished.at && finished.finishes(text);
    if (one.said_by === "agent" && one.generator !== keptByAgent && isFinished && !outdated.has(one.id))
      outdated.set(one.id, null);
  }
}
