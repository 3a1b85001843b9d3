// `mem completion`: completion for bash, zsh and fish.
import type { Command } from "commander";
import { createWorkerClient } from "../../client/worker-client.ts";
import { definitionOf, settingKeys } from "../../settings/table.ts";
import { addCommand } from "../command.ts";
import { type Candidate, candidatesFor, type Question } from "../completion/candidates.ts";
import { scripts } from "../completion/scripts.ts";
import type { CliContext } from "../context.ts";

/** Adds `mem completion`, and `mem completion-values`, which its scripts call. */
export function registerCompletion(program: Command, context: CliContext): void {
  const { io } = context;
  addCommand(program, context, {
    name: "completion",
    about: "Complete commands, options and values in your shell",
    arguments: [["[shell]", "bash, zsh or fish; without it: how to install it", Object.keys(scripts)]],
    examples: [
      "mem completion # how to install it",
      'eval "$(mem completion bash)" # in this shell, until it ends',
    ],
    run: (shell: string | undefined) => {
      io.raw((shell === undefined ? undefined : scripts[shell]) ?? howToInstall);
    },
  });
  addCommand(program, context, {
    name: "completion-values",
    hidden: true,
    about: "list the words that may come next in a command line, one a line",
    arguments: [["[word...]", "the words after `mem`, the one that is being typed last"]],
    examples: [
      "mem completion-values -- sea # search",
      "mem completion-values -- search --project '' # labels, from a running worker",
    ],
    run: async (words: readonly string[]) => {
      for (const line of await linesFor(program, context, words)) io.out(line);
    },
  });
}

async function linesFor(program: Command, context: CliContext, words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? "";
  // A shell other than bash gives `--format=i` as one word.
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  const before = flag === undefined ? words.slice(0, -1) : [...words.slice(0, -1), flag];
  const typed = value ?? (last === "=" ? "" : last);
  const found = candidatesFor(program, before, typed);
  if (found === "files") return [":files"];
  const all: readonly Candidate[] =
    "ask" in found ? (await valuesFor(context, found.ask, found.before)).map((word) => ({ word })) : found;
  return all
    .filter(({ word }) => word.startsWith(typed) && !/\p{Cc}/u.test(word))
    .map(
      ({ word, about }) =>
        `${flag === undefined ? "" : `${flag}=`}${word}${about === undefined ? "" : `\t${about}`}`,
    );
}

const howToInstall = `Add one line to the start file of your shell, then open a new one:

  bash  ~/.bashrc                   eval "$(mem completion bash)"
  zsh   ~/.zshrc, below compinit    eval "$(mem completion zsh)"
  fish  ~/.config/fish/config.fish  mem completion fish | source

Or write the script to a file, which starts faster; repeat it after an update:

  bash  mem completion bash > ~/.local/share/bash-completion/completions/mem
  zsh   mem completion zsh > "\${fpath[1]}/_mem"
  fish  mem completion fish > ~/.config/fish/completions/mem.fish
`;

async function valuesFor(context: CliContext, question: Question, word: string): Promise<readonly string[]> {
  switch (question) {
    case "projects":
      return await knownProjects(context.dataDir());
    case "modes":
      return await modeNames(context.dataDir());
    case "setting":
      return await settingValues(context, word);
    default:
      return question satisfies never;
  }
}

// A key press does not start a worker.
async function knownProjects(dataDir: string): Promise<string[]> {
  const client = createWorkerClient({ dataDir, deadlines: { answerMs: 1000 } });
  try {
    return (await client.projects()).toSorted();
  } finally {
    await client.close();
  }
}

async function modeNames(dataDir: string): Promise<string[]> {
  const { listModes } = await import("../../settings/modes/load-mode.ts");
  return listModes({ dataDir }).map(({ name }) => name);
}

async function settingValues(context: CliContext, word: string): Promise<readonly string[]> {
  const key = settingKeys.find((each) => each === word || each === `MEM_${word.toUpperCase()}`);
  if (key === undefined) return [];
  if (key === "MEM_MODE") return await modeNames(context.dataDir());
  const definition = definitionOf(key);
  if (definition.kind === "boolean") return ["true", "false"];
  return "values" in definition ? (definition.values ?? []) : [];
}
