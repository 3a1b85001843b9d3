// `mem supersede|pin|reject|done`: the user's review of an observation.
import { type Command, Option } from "commander";
import { MemError } from "../../core/errors.ts";
import type { Observation } from "../../core/records/records.ts";
import { addCommand, type CommandPart, type JsonOptions, jsonOption, observationId } from "../command.ts";
import type { CliContext } from "../context.ts";
import { observationAsJson } from "../search-list.ts";
import { printWrapped } from "../table.ts";

const id: NonNullable<CommandPart["arguments"]>[number] = ["<id>", "number from `mem search`", observationId];

/** Adds `mem supersede`, `mem pin`, `mem done` and `mem reject`. */
export function registerReview(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "pin",
    about: "Show an observation first in the context of agents",
    arguments: [id],
    options: [["--undo", "unpin it"], new Option("--off", "as --undo").hideHelp(), jsonOption],
    examples: ["mem pin 12", "mem pin 12 --undo"],
    notes: `Every session of its project starts with it. The other records share the rest
of MEM_CONTEXT_TOKEN_BUDGET. A pinned rule is listed first among the rules. A
start shows up to 20 pinned observations, in full if they fit in half of it.`,
    run: async (id: number, { undo, off, json }: JsonOptions & { undo?: true; off?: true }) => {
      const isUndone = undo === true || off === true;
      const observation = await context.worker().setPin(id, !isUndone);
      show(context, observation, json, isUndone ? "is unpinned" : undefined);
    },
  });
  addCommand(program, context, {
    name: "done",
    about: "Close open work: agents no longer get it",
    arguments: [id],
    options: [["--undo", "it is open again"], jsonOption],
    examples: ["mem done 12", "mem done 12 --undo"],
    run: async (id: number, { undo, json }: JsonOptions & { undo?: true }) => {
      const status = undo === true ? ("active" as const) : ("superseded" as const);
      show(context, await context.worker().setStatus(id, { status }), json);
    },
  });
  addCommand(program, context, {
    name: "reject",
    about: "Hide a wrong observation from search and context",
    arguments: [id],
    options: [["--undo", "show it again"], jsonOption],
    examples: ["mem reject 12", "mem reject 12 --undo # it was right after all"],
    run: async (id: number, { undo, json }: JsonOptions & { undo?: true }) => {
      const status = undo === true ? ("active" as const) : ("rejected" as const);
      show(context, await context.worker().setStatus(id, { status }), json);
    },
  });
  addCommand(program, context, {
    name: "supersede",
    about: "Mark an observation as replaced by another",
    arguments: [id],
    options: [
      ["--by <id>", "the observation that replaces it", observationId],
      ["--undo", "undo it"],
      jsonOption,
    ],
    examples: ["mem supersede 12 --by 40 # 40 replaces 12", "mem supersede 12 --undo # 12 is active again"],
    run: async (id: number, { by, undo, json }: JsonOptions & { by?: number; undo?: true }) => {
      if ((by === undefined) === (undo === undefined)) {
        throw new MemError("usage", {
          message: "Give --by with the observation that replaces it, or --undo.",
          hint: "See `mem supersede --help`.",
        });
      }
      const change =
        by === undefined
          ? { status: "active" as const }
          : { status: "superseded" as const, superseded_by: by };
      show(context, await context.worker().setStatus(id, change), json);
    },
  });
}

function show(
  { io }: CliContext,
  observation: Observation,
  json: true | undefined,
  state = stateOf(observation),
): void {
  if (json === true) io.json(observationAsJson(observation));
  else printWrapped(io, io.out, `#${observation.id} ${state}: ${observation.title}`);
}

function stateOf({ status, pinned, superseded_by }: Observation): string {
  if (status === "superseded") return superseded_by === null ? "is done" : `is replaced by #${superseded_by}`;
  if (status === "rejected") return "is rejected";
  return pinned === 1 ? "is pinned" : "is active";
}
