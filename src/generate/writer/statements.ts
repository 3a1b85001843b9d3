// The statements of a turn as drafts: quoted by the model, and found by code.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import type { Statement } from "../../statements/statement.ts";
import { certainStatements, draftOf } from "../../statements/turn-drafts.ts";
import type { GenerationBatch } from "../provider.ts";
import { turnOf } from "../turns.ts";
import type { ReadStatement } from "./answer-schema.ts";
import { quotedStatements } from "./quoted-statements.ts";

/** Code adds rules that the model missed, and replaces its fixes and failures of commands, of which code sees more. */
export function statementsOf(
  read: readonly ReadStatement[],
  summarize: ClaimedMessage,
  { batch, mode }: { batch: Pick<GenerationBatch, "messages" | "turns">; mode: Mode },
): DraftObservation[] {
  const turn = turnOf(summarize, batch);
  const isOfUser = summarize.message.agent_id === undefined;
  const { kept, rejected } = quotedStatements(read, turn, { isOfUser });
  const judged = [...kept, ...rejected];
  const certain = certainStatements(turn).filter(
    (one) => one.said_by !== "user" || (isOfUser && !judged.some((each) => overlap(each, one))),
  );
  const draft = (statement: Statement) => {
    const made = draftOf(statement, { turn, source: summarize.id });
    return { ...made, ...wordsOf(made, mode) };
  };
  const quoted = kept
    .filter((each) => !certain.some((one) => shareFamily(each, one)))
    .map(({ about, ...statement }) => ({
      ...draft(statement),
      ...(about === "" ? {} : { subtitle: about }),
    }));
  return [...quoted, ...certain.map(draft)];
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
