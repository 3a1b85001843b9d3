// Before a model is paid: what it would be asked for and what that would cost, shown, and a person's yes.
import type { RegenerateChoice, RegenerationPlanAnswer } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";
import { printAligned } from "./aligned.ts";
import { canAsk, confirm, type Terminal } from "./confirm.ts";
import type { CliContext } from "./context.ts";
import type { Io } from "./io.ts";
import { planRows } from "./regenerate-words.ts";

/** `--dry-run`: what a start would cost is the answer. Resolves with how many events that are. */
export async function showPlan(
  { io, worker }: Context,
  choice: RegenerateChoice,
  json: boolean,
): Promise<number> {
  const plan = await worker().regenerationPlan(choice);
  if (json) io.json(plan);
  else if (plan.events === 0) io.out("Nothing is to be made again.");
  else printAligned(io, planRows(plan));
  return plan.events;
}

interface Consent {
  /** Given beforehand, with `--yes`. */
  yes: boolean;
  json: boolean;
  /** Where the person sits; default: the streams of the process. */
  terminal?: Terminal;
}

type Context = Pick<CliContext, "io" | "worker">;

/**
 * Tells what a start would cost, and returns when it may start. Throws `cancelled` where a person says no, and `usage`
 * where none can be asked. What runs already and what finds nothing to do costs nothing more, so nobody is asked.
 */
export async function demandConsent(
  { io, worker }: Context,
  choice: RegenerateChoice,
  { yes, json, terminal }: Consent,
): Promise<void> {
  if (yes && json) return;
  const plan = await worker().regenerationPlan(choice);
  if (plan.events === 0 || (plan.running && choice.resume === true)) return;
  printAligned(talkOf(io), planRows(plan));
  if (yes) return;
  if (!canAsk(terminal)) {
    throw new MemError("usage", {
      message: "Nobody can be asked here, so nothing was started.",
      hint: "Add --yes to start unasked; --dry-run shows what it would cost, and nothing more.",
    });
  }
  await confirm(questionFor(plan), "Nothing was started.", terminal);
}

function questionFor({ budgets }: RegenerationPlanAnswer): string {
  const spent = budgets.some(({ leftTokens }) => leftTokens === 0);
  return spent ? "A budget is spent, so it would stop at once. Start all the same?" : "Start?";
}

// The answer of the command is how it ended.
function talkOf(io: Io): Io {
  return { ...io, out: io.err, paint: io.errPaint };
}
