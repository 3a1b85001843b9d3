// Turns the statements of a turn into observations, with the types and concepts of the `code` mode.
import type { DraftObservation } from "../core/records/drafts.ts";
import { quotedTexts } from "../core/records/quoted-text.ts";
import { askedMark } from "../core/records/record-terms.ts";
import type { ObservationConcept, ObservationType } from "../core/records/records.ts";
import type { StatementKind as StoredKind } from "../core/records/statement.ts";
import type { Turn } from "../core/records/turn.ts";
import { typedParts } from "../core/tools/typed-text.ts";
import { excerpt } from "../text/excerpt.ts";
import { isFileName } from "../text/file-name.ts";
import { clip } from "../text/plain-text.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { type Fix, fixesOf } from "./commands/fixes.ts";
import { concludedIn } from "./concluded.ts";
import { answeredIn, saidIn } from "./said-by-user.ts";
import { type Statement, type StatementKind, statementOnWork } from "./statement.ts";
import { namesIn } from "./text/names.ts";

/** What a turn leaves to later sessions; `source` is the id of the message that ended it. */
export function statementDrafts(turn: Turn, source: number): DraftObservation[] {
  const said = [...saidIn(turn), ...answeredIn(turn)];
  const statements = [...said, ...concludedIn(turn), ...fixesOf(turn).map(statementOfFix)];
  return withoutRepeats(statements.map(printable)).map((statement) => draftOf(statement, { turn, source }));
}

/** The fixes and failures of commands. */
export function fixesIn(turn: Turn): Statement[] {
  return withoutRepeats(fixesOf(turn).map(statementOfFix).map(printable));
}

function printable(statement: Statement): Statement {
  return { ...statement, text: terminalLine(statement.text) };
}

export function draftOf(
  statement: Statement,
  { turn, source }: { turn: Pick<Turn, "prompt">; source: number },
): DraftObservation {
  const { kind, text, said_by, standing, reach, salience, families } = statement;
  const { type, concepts, stored } = words[kind];
  const paths = namesIn(text).filter(isFileName);
  const asked = excerpt(terminalLine(typedParts(turn.prompt).typed.slice(0, askedChars * 8)), askedChars);
  return {
    obs_type: type,
    ...quotedTexts(clip(text, textChars)),
    summary: excerpt(text, summaryChars),
    subtitle: said_by === "user" || asked === "" ? null : `${askedMark}${asked}`,
    facts: [],
    concepts: statement.forbids === true ? ["gotcha"] : [...concepts],
    files_read: paths,
    files_modified: [],
    provenance: provenances[said_by],
    sources: [source, ...(statement.sources ?? [])],
    statement: {
      said_by,
      kind: stored,
      standing,
      reach,
      salience,
      ...(families === undefined ? {} : { families }),
    },
  };
}

function statementOfFix({ families, events, text }: Fix): Statement {
  const fix = statementOnWork({ kind: "fix", text, said_by: "tool", salience: fixSalience });
  return { ...fix, families, sources: events };
}

// A closing often repeats the user's words, or itself.
function withoutRepeats(statements: readonly Statement[]): Statement[] {
  const seen = new Set<string>();
  return statements.filter(({ text }) => {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
    if (text === "" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const provenances = { user: "user", agent: "agent", tool: "command" } as const;

interface Words {
  type: ObservationType;
  concepts: readonly ObservationConcept[];
  stored: StoredKind | null;
}

const words: Record<StatementKind, Words> = {
  rule: { type: "decision", concepts: ["pattern"], stored: "rule" },
  instruction: { type: "change", concepts: ["why-it-exists"], stored: null },
  cause: { type: "bugfix", concepts: ["problem-solution"], stored: "cause" },
  decision: { type: "decision", concepts: ["trade-off"], stored: "decision" },
  open: { type: "change", concepts: ["what-changed"], stored: "open" },
  change: { type: "change", concepts: ["what-changed"], stored: "outcome" },
  finding: { type: "discovery", concepts: ["how-it-works"], stored: "fact" },
  fix: { type: "bugfix", concepts: ["problem-solution", "gotcha"], stored: "fix" },
};

// Below a good finding: a fix is long, and mem injects it before its command runs again anyway.
const fixSalience = 0.8;
const summaryChars = 300;
const textChars = 1_500;
const askedChars = 140;
