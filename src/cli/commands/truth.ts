// `mem supersede|pin|reject`: what the user says of an observation.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import type { Observation } from "../../core/records/records.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { observationId } from "../observation-id.ts";

/** Adds `mem supersede`, `mem pin` and `mem reject`. */
export function registerTruth(program: Command, context: CliContext): void {
  registerSupersede(program, context);
  registerPin(program, context);
  registerReject(program, context);
}

interface SupersedeOptions {
  by?: number;
  undo?: true;
  json?: true;
}

function registerSupersede(program: Command, context: CliContext): void {
  const supersede = program
    .command("supersede")
    .description("say that another observation holds in the place of this one")
    .argument("<id>", "number from `mem search`", observationId)
    .option("--by <id>", "the one that holds now", observationId)
    .option("--undo", "take it back")
    .option("--json", "print the observation as JSON")
    .action(async (id: number, { by, undo, json }: SupersedeOptions) => {
      if ((by === undefined) === (undo === undefined)) {
        throw new MemError("usage", {
          message: "Give --by with the observation that holds now, or --undo.",
          hint: "See `mem supersede --help`.",
        });
      }
      const change =
        by === undefined
          ? { status: "active" as const }
          : { status: "superseded" as const, superseded_by: by };
      tell(context, await context.worker().setStatus(id, change), json);
    });
  withExamples(supersede, [
    ["mem supersede 12 --by 40", "40 says now what 12 said"],
    ["mem supersede 12 --undo", "12 holds again"],
  ]);
}

function registerPin(program: Command, context: CliContext): void {
  const pin = program
    .command("pin")
    .description("let an observation come first in what agents are told")
    .argument("<id>", "number from `mem search`", observationId)
    .option("--off", "unpin it")
    .option("--json", "print the observation as JSON")
    .action(async (id: number, { off, json }: { off?: true; json?: true }) => {
      const observation = await context.worker().setPin(id, off !== true);
      tell(context, observation, json, off === true ? "is unpinned" : undefined);
    });
  withExamples(pin, [
    ["mem pin 12", ""],
    ["mem pin 12 --off", ""],
  ]);
}

function registerReject(program: Command, context: CliContext): void {
  const reject = program
    .command("reject")
    .description("say that an observation is wrong: it is not injected and not found")
    .argument("<id>", "number from `mem search`", observationId)
    .option("--undo", "take it back")
    .option("--json", "print the observation as JSON")
    .action(async (id: number, { undo, json }: { undo?: true; json?: true }) => {
      const status = undo === true ? ("active" as const) : ("rejected" as const);
      tell(context, await context.worker().setStatus(id, { status }), json);
    });
  withExamples(reject, [
    ["mem reject 12", ""],
    ["mem reject 12 --undo", "it was right after all"],
  ]);
}

function tell(
  { io }: CliContext,
  observation: Observation,
  json: true | undefined,
  is = standing(observation),
): void {
  if (json === true) io.json(observation);
  else
    for (const line of wrapToWidth(
      `#${observation.id} ${is}: ${terminalLine(observation.title)}`,
      io.columns,
    ))
      io.out(line);
}

function standing({ status, pinned, superseded_by }: Observation): string {
  if (status === "superseded") return `is superseded by #${superseded_by}`;
  if (status === "rejected") return "is rejected";
  return pinned === 1 ? "is pinned" : "holds";
}
