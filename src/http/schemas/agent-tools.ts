// Words, inputs and answers of `remember` and `review`, the writing tools over MCP, local and hosted.
import * as z from "zod";
import { keptKinds } from "../../core/records/statement.ts";

export const rememberTool = {
  name: "remember",
  title: "Remember for later sessions",
  description: `Keep one thing that later sessions in this project need and cannot see in the code or git history. Call it in the turn in which it comes up:
- the user states how to work from now on: rule, or preference for taste; quote their words exactly
- something was settled, by whom and why: decision; a cause was found and confirmed: cause
- a command ran that is needed again (run, test, build, deploy, install): command, exact, with its folder
- a fact of the environment or product that took effort to learn: fact
- work stops with something left: open; where a longer piece of work stands: state
Not: this turn's request, progress, guesses, what the code says. Most turns need no call. One sentence that stands alone, in the user's language. When it replaces a record, name its id in \`replaces\` and repeat what still holds of it.`,
  input: <Id extends z.ZodType>(id: Id) => ({
    kind: z.enum(keptKinds),
    text: z.string().min(1).max(1000, "must have at most 1000 characters: one fact a call"),
    quote: z
      .string()
      .max(1000)
      .nullish()
      .meta({ description: "Exact words of the user, for a rule or preference." }),
    replaces: id.nullish().meta({ description: "Id of the record that no longer holds." }),
  }),
};

export const reviewTool = {
  name: "review",
  title: "Correct the memory",
  description: "Say that a record no longer holds: wrong, outdated, or done (open work that is finished).",
  input: <Id extends z.ZodType>(id: Id) => ({
    id,
    verdict: z.enum(["wrong", "outdated", "done"]),
    why: z.string().max(1000).nullish(),
  }),
};

/** A kept record, as `remember` answers it. */
export interface KeptRecord<Id> {
  /** `exists`: the same text stands already. */
  status: "stored" | "exists";
  id: Id;
  kind: string;
  /** A rule or preference without words of the user: not injected. */
  proposed: boolean;
  replaced: { id: Id; text: string } | null;
  /** Why the record named by `replaces` stands. */
  kept_old: "unknown" | "of the user" | null;
}

/** What the agent reads of it; `proposal` is the sentence for a proposal. */
export function keptLines<Id extends number | string>(
  { id, status, kind, proposed, replaced, kept_old }: KeptRecord<Id>,
  { replaces, proposal, ...asked }: { kind: string; replaces: Id | null; proposal: string },
): string[] {
  if (status === "exists") return [`#${id} says that already.`];
  return [
    `Kept as #${id} (${kind}).`,
    ...(proposed ? [proposal] : []),
    ...(kind === asked.kind ? [] : ["As a fact: no such command ran in this session."]),
    ...(replaced === null
      ? []
      : [
          `It replaces #${replaced.id}: "${replaced.text}" Does all of the new text still say what holds of it? Else replace #${id}.`,
        ]),
    ...(kept_old === "unknown"
      ? [`There is no record #${replaces} in this project, so nothing was replaced.`]
      : []),
    ...(kept_old === "of the user" ? [`#${replaces} still stands: only words of the user replace it.`] : []),
  ];
}

/** The result of a call. Claude Code 2.1.332 gives its model the fields alone where there are some, so they have the text. */
export function resultOf(text: string, fields: Record<string, unknown>) {
  return { content: [{ type: "text" as const, text }], structuredContent: { answer: text, ...fields } };
}
