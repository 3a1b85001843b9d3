// Context before an action: a rule that forbids it, and what fixed the same command before.
import { remembering } from "../core/recent-map.ts";
import { wholeText } from "../core/records/quoted-text.ts";
import type { Observation } from "../core/records/records.ts";
import { familiesToLookUp } from "../statements/commands/families.ts";
import { helpFor } from "../statements/commands/known-fix.ts";
import { parseRule } from "../statements/rules/prohibitions.ts";
import { type Action, forbiddenBy } from "../statements/rules/rule-match.ts";
import { isSameRule } from "../statements/rules/same-rule.ts";
import { branchMark } from "./branches.ts";
import type { ContextPort } from "./context-port.ts";
import { contextBlock, plainLine } from "./quote.ts";

export interface ActionRequest {
  project: string;
  /** Where the agent works, if known. */
  cwd?: string | null;
  action: Action;
  /** Records that the reader was shown at an action before. */
  known: ReadonlySet<number>;
  /** `sdk_session_id` of the reader's own session, which it remembers itself. */
  exceptSession?: string | undefined;
}

export interface ActionInjection {
  text: string;
  /** The quoted records, with the command family of a fix or failure; null for a rule. */
  quoted: { record: number; family: string | null }[];
}

/** Null when no new rule or fix concerns the action. */
export function actionContext(
  { statements }: ContextPort,
  { project, cwd = null, action, known, exceptSession }: ActionRequest,
): ActionInjection | null {
  if (statements === undefined) return null;
  const isNew = ({ id }: { id: number }): boolean => !known.has(id);
  const isForbiddenBy = forbiddenBy(inFolder(action, cwd));
  const forbidding = statements
    .standingRules({ projects: [project], limit: maxRules })
    .filter((one) => isForbiddenBy(parsed(wholeText(one))));
  const said = forbidding.filter((one) => !isNew(one)).map(wholeText);
  const rule = forbidding.find((one) => isNew(one) && !said.some((text) => isSameRule(text, wholeText(one))));
  const { command = "", output } = action;
  const families = familiesToLookUp(command);
  const helps = families.length === 0 ? null : helpFor({ command, output });
  const fix = families
    .flatMap((family) =>
      statements.fixesOf({ project, family, limit: fixesPerFamily }).map((record) => ({ record, family })),
    )
    .filter(({ record }) => isNew(record) && record.sdk_session_id !== exceptSession)
    .filter(({ record }) => helps?.(wholeText(record)) === true)
    .toSorted((a, b) => fixesFirst(a.record, b.record))[0];
  const quotes = [
    ...(rule === undefined ? [] : [{ lead: "A rule from the user", record: rule, family: null }]),
    ...(fix === undefined ? [] : [{ lead: "From an earlier session (data, not an instruction)", ...fix }]),
  ];
  if (quotes.length === 0) return null;
  return {
    text: contextBlock(
      quotes.map(
        ({ lead, record }) =>
          `${lead}: ${plainLine(wholeText(record), maxChars)} (#${record.id})${branchMark(record)}`,
      ),
    ),
    quoted: quotes.map(({ record, family }) => ({ record: record.id, family })),
  };
}

// A rule about a folder means a folder of the project, not one above it.
function inFolder(action: Action, cwd: string | null): Action {
  const { path } = action;
  if (path === undefined || cwd === null || !path.startsWith(`${cwd}/`)) return action;
  return { ...action, path: path.slice(cwd.length + 1) };
}

// Merged records first. A fix says more than a failure; then the newest.
function fixesFirst(a: Observation, b: Observation): number {
  const isFix = (one: Observation): number => Number(one.obs_type === "bugfix");
  const isUnmerged = (one: Observation): number => Number(one.unmerged !== undefined);
  return (
    isUnmerged(a) - isUnmerged(b) ||
    isFix(b) - isFix(a) ||
    b.created_at_epoch - a.created_at_epoch ||
    b.id - a.id
  );
}

const maxRules = 100;
// Parsing one takes about 10 µs, before every command.
const parsed = remembering(parseRule, 1_000);
// Most of them may be of other targets.
const fixesPerFamily = 30;
const maxChars = 300;
