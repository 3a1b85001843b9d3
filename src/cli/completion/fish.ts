// Completion for fish: one line for each command, option and argument, with the place where it counts.
import { type CommandNode, nodesBelow, type OptionNode, type Values } from "./command-tree.ts";

/** The script that `mem completion fish` prints. */
export function fishScript(root: CommandNode): string {
  const nodes = nodesBelow(root);
  const paths = nodes.map(({ path }) => quoted(path));
  const valued = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === null ? [] : flags.map((flag) => quoted(`${path} ${flag}`)),
    ),
  );
  return `# Completion of mem for fish. Load it with: mem completion fish | source
set -g __mem_paths ${paths.join(" ")}
set -g __mem_valued ${valued.join(" ")}
${walk}
complete -c mem -e
complete -c mem -f
${nodes.flatMap(linesOf).join("\n")}
`;
}

// Succeeds at the command of the first argument; with a second one, at that argument of the command.
const walk = `function __mem_at
  set -l at mem
  set -l count 0
  set -l open no
  for word in (commandline -opc)[2..-1]
    if test $open = yes
      set open no
    else if string match -q -- '-*' $word
      contains -- "$at $word" $__mem_valued; and set open yes
    else if test $count = 0; and contains -- "$at $word" $__mem_paths
      set at "$at $word"
    else
      set count (math $count + 1)
    end
  end
  test "$at" = "$argv[1]"; or return 1
  set -q argv[2]; or return 0
  if string match -q '*+' -- $argv[2]
    test (math $count + 1) -ge (string trim -c + -- $argv[2])
  else
    test (math $count + 1) = $argv[2]
  end
end
function __mem_ask
  set -l given (commandline -opc)
  mem completion-values $argv[1] -- $given[-1] 2>/dev/null
end`;

function linesOf({ path, commands, options, arguments: given }: CommandNode): string[] {
  const at = (place: string) => `complete -c mem -n ${quoted(`__mem_at ${quoted(path)}${place}`)}`;
  const ofCommands = commands.map(({ name, about }) => `${at(" 1")} -a ${name} -d ${quoted(about)}`);
  const ofArguments = given.map(
    ({ isVariadic, values }, index) => `${at(` ${index + 1}${isVariadic ? "+" : ""}`)}${choices(values)}`,
  );
  const ofOptions = options.map((option) => `${at("")}${optionText(option)}`);
  return [...ofCommands, ...ofArguments.filter((line) => / -(a|F)/.test(line)), ...ofOptions];
}

function optionText({ flags, about, value }: OptionNode): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  return `${names.join("")}${value === null ? "" : ` ${value.values.is === "files" ? "-r" : "-x"}${choices(value.values)}`} -d ${quoted(about)}`;
}

function choices(values: Values): string {
  switch (values.is) {
    case "text":
      return "";
    case "files":
      return " -F";
    case "words":
      return ` -a ${quoted(values.words.join(" "))}`;
    case "ask":
      return ` -a ${quoted(`(__mem_ask ${values.question})`)}`;
    default:
      return values satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
