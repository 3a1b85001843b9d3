// The two writing tools: what the agent keeps for later sessions, and takes back.
import * as z from "zod";
import { plainLine } from "../../context/quote.ts";
import { workingPlace } from "../../core/directory.ts";
import { keptKinds } from "../../core/records/statement.ts";
import { defineTool, type Tool, type ToolAnswer } from "./tool.ts";

const id = () => z.coerce.number().int().min(1);

const remember = defineTool(
  {
    name: "remember",
    title: "Remember for later sessions",
    description: `Keep one thing that later sessions in this project need and cannot see in the code or git history. Call it in the turn in which it comes up:
- the user states how to work from now on: rule, or preference for taste; quote their words exactly
- something was settled, by whom and why: decision; a cause was found and confirmed: cause
- a command ran that is needed again (run, test, build, deploy, install): command, exact, with its folder
- a fact of the environment or product that took effort to learn: fact
- work stops with something left: open; where a longer piece of work stands: state
Not: this turn's request, progress, guesses, what the code says. Most turns need no call. One sentence that stands alone, in the user's language. When it replaces a record, name its id in \`replaces\` and repeat what still holds of it.`,
    input: z.strictObject({
      kind: z.enum(keptKinds),
      text: z.string().min(1).max(1000, "must have at most 1000 characters: one fact a call"),
      quote: z
        .string()
        .max(1000)
        .nullish()
        .meta({ description: "Exact words of the user, for a rule or preference." }),
      replaces: id().nullish().meta({ description: "Id of the record that no longer holds." }),
    }),
    writes: true,
  },
  async (worker, { kind, text, quote, replaces }, { host }) => {
    const kept = await worker.keep({
      ...{ kind, text, host, ...workingPlace() },
      ...(quote == null || quote === "" ? {} : { quote }),
      ...(replaces == null ? {} : { replaces }),
    });
    if (kept.status === "skipped")
      return { structured: kept, lines: ["Not kept: the user marked this as private."] };
    return { structured: kept, lines: linesOf(kept, kind, replaces ?? null) };
  },
);

function linesOf(
  kept: Exclude<Awaited<ReturnType<Parameters<Tool["run"]>[0]["keep"]>>, { status: "skipped" }>,
  kind: string,
  replaces: number | null,
): ToolAnswer["lines"] {
  const { id, status, replaced, kept_old, proposed } = kept;
  if (status === "exists") return [`#${id} says that already.`];
  return [
    `Kept as #${id} (${kept.kind}).`,
    ...(proposed
      ? ["A proposal until the user accepts it: the quote is not in what they typed in this session."]
      : []),
    ...(kept.kind === kind ? [] : ["As a fact: no such command ran in this session."]),
    ...(replaced === null
      ? []
      : [
          `It replaces #${replaced.id}: "${plainLine(replaced.text, 1000)}" Does all of the new text still say what holds of it? Else replace #${id}.`,
        ]),
    ...(kept_old === "unknown"
      ? [`There is no record #${replaces} in this project, so nothing was replaced.`]
      : []),
    ...(kept_old === "of the user" ? [`#${replaces} still stands: only words of the user replace it.`] : []),
  ];
}

const review = defineTool(
  {
    name: "review",
    title: "Correct the memory",
    description:
      "Say that a record no longer holds: wrong, outdated, or done (open work that is finished). The id stands behind the record as #12.",
    input: z.strictObject({
      id: id(),
      verdict: z.enum(["wrong", "outdated", "done"]),
      why: z.string().max(1000).nullish(),
    }),
    writes: true,
  },
  async (worker, { id, verdict, why }, { host }) => {
    await worker.judge(id, { verdict, host, ...workingPlace(), ...(why == null ? {} : { why }) });
    return { structured: { id, verdict }, lines: [`#${id} is ${verdict}. The user can restore it.`] };
  },
);

export const writingTools: readonly Tool[] = [remember, review];
