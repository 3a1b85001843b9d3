// The statements of a turn as drafts: quoted by the model, what rules propose, and what answers and commands show.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import type { KnownRecord, StatementKind } from "../../core/records/statement.ts";
import type { Turn } from "../../core/records/turn.ts";
import { answeredIn } from "../../statements/said-by-user.ts";
import type { Statement } from "../../statements/statement.ts";
import { draftOf, fixesIn } from "../../statements/turn-drafts.ts";
import type { ReadAnswer } from "./answer-schema.ts";
import { candidatesIn } from "./candidates.ts";
import { quotedStatements } from "./quoted-statements.ts";

interface AnsweredTurn {
  turn: Turn;
  /** Id of the message that ends it. */
  source: number;
  /** False for a prompt that an agent wrote for its sub-agent. */
  isOfUser: boolean;
  mode: Mode;
  known: readonly KnownRecord[];
}

/**
 * A candidate that the model does not confirm stays a proposal, and one that rules doubt where it does not quote it too. Code
 * adds what tools show and no judgement needs: choices among the agent's options, and fixes and failures of commands.
 */
export function statementsOf(
  read: Pick<ReadAnswer, "statements" | "confirmed" | "nothing">,
  { turn, source, isOfUser, mode, known }: AnsweredTurn,
): DraftObservation[] {
  const candidates = candidatesIn(turn).map((one, at) => ({
    ...one,
    standing: one.standing && read.confirmed.includes(at + 1),
  }));
  const kept = quotedStatements(read.statements, { turn, isOfUser, known }).map((one) => ({
    ...one,
    standing: one.standing || (one.kind === "rule" && candidates.some((each) => overlap(each, one))),
  }));
  const chosen = read.nothing ? [] : answeredIn(turn).filter(({ kind }) => kind !== "rule");
  const ofUser = isOfUser ? [...candidates, ...chosen] : [];
  const proposed = ofUser.filter((one) => !kept.some((each) => overlap(each, one)));
  const fixes = fixesIn(turn);
  const draft = (statement: Statement, stored?: StatementKind): DraftObservation => {
    const made = draftOf(statement, { turn, source });
    const marks = made.statement && { ...made.statement, kind: stored ?? made.statement.kind };
    return { ...made, ...wordsOf(made, mode), ...(marks && { statement: marks }) };
  };
  const quoted = kept
    .filter((each) => !fixes.some((one) => shareFamily(each, one)))
    .map(({ about, stored, replaces, ...statement }) => ({
      ...draft(statement, stored),
      ...(about === "" ? {} : { subtitle: about }),
      ...(replaces.length === 0 ? {} : { replaces }),
    }));
  return [...quoted, ...[...proposed, ...fixes].map((one) => draft(one))];
}

function overlap({ text }: Statement, other: Statement): boolean {
  return text.includes(other.text) || other.text.includes(text);
}

function shareFamily({ families = [] }: Statement, other: Statement): boolean {
  return families.some((family) => other.families?.includes(family));
}

// Types and concepts of the `code` mode, as far as the mode has them.
function wordsOf({ obs_type, concepts }: DraftObservation, mode: Mode) {
  const type = [obs_type, "conclusion"].find((word) => has(mode.types, word));
  return {
    obs_type: type ?? mode.types[0]?.id ?? obs_type,
    concepts: concepts.filter((concept) => has(mode.concepts, concept)),
  };
}

function has(words: readonly ModeWord[], wanted: string): boolean {
  return words.some(({ id }) => id === wanted);
}
