// `mem completion`: completion for bash, zsh and fish, generated from the commands that the help lists.
import type { Command } from "commander";
import { createWorkerClient } from "../../client/worker-client.ts";
import { definitionOf, settingKeys } from "../../settings/table.ts";
import { addCommand } from "../command.ts";
import { bashScript } from "../completion/bash.ts";
import { type CommandNode, commandTree, type Question, questions } from "../completion/command-tree.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import type { CliContext } from "../context.ts";

const scripts: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

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
      const script = shell === undefined ? undefined : scripts[shell];
      if (script === undefined) io.raw(howToInstall);
      else io.raw(script(commandTree(program)));
    },
  });
  addCommand(program, context, {
    name: "completion-values",
    hidden: true,
    about: "list values for a completion, one a line",
    arguments: [
      ["<question>", questions.join(", "), questions],
      ["[word]", "the word before: a setting"],
    ],
    examples: [
      "mem completion-values projects # labels, from a running worker",
      "mem completion-values setting MEM_PROVIDER # what it accepts",
    ],
    run: async (question: Question, word = "") => {
      for (const value of await valuesFor(context, question, word)) if (!/\p{Cc}/u.test(value)) io.out(value);
    },
  });
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
