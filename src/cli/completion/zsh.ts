// Completion for zsh: one function with `_arguments` for each command.
import {
  type ArgumentNode,
  type CommandNode,
  nodesBelow,
  type OptionNode,
  type Values,
} from "./command-tree.ts";

/** The script that `mem completion zsh` prints; as a file named `_mem` on fpath it works too. */
export function zshScript(root: CommandNode): string {
  return `#compdef mem
# Completion of mem for zsh. Load it after compinit with: eval "$(mem completion zsh)"
${nodesBelow(root).map(functionOf).join("\n")}
_mem_ask() {
  local -a answers
  answers=("\${(@f)$(mem completion-values "$1" -- "\${words[CURRENT-1]}" 2>/dev/null)}")
  compadd -a answers
}
if [ "$funcstack[1]" = _mem ]; then _mem "$@"; else compdef _mem mem; fi
`;
}

function functionOf(node: CommandNode): string {
  const options = node.options.map(optionSpec);
  const name = functionName(node);
  if (node.commands.length === 0) {
    const specs = ["-s", "-S", ...options, ...node.arguments.map(argumentSpec)];
    return `${name}() {\n  _arguments ${specs.join(" \\\n    ")}\n}`;
  }
  const specs = ["-s", "-S", "-C", ...options, "'1: :->command'", "'*:: :->argument'"];
  return `${name}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands
  commands=(
${node.commands.map((child) => `    ${quoted(`${child.name}:${child.about}`)}`).join("\n")}
  )
  _arguments ${specs.join(" \\\n    ")}
  case $state in
  command) _describe -t commands command commands ;;
  argument)
    case $line[1] in
${node.commands.map((child) => `    ${child.name}) ${functionName(child)} ;;`).join("\n")}
    esac
    ;;
  esac
}`;
}

function functionName({ path }: CommandNode): string {
  return `_${path.replaceAll(" ", "__")}`;
}

function optionSpec({ flags, about, value }: OptionNode): string {
  const end = value === null ? "" : `:${value.name}:${action(value.values)}`;
  const text = `[${about.replace(/[[\]]/g, "\\$&")}]${end}`;
  const spec = (flag: string) => (value !== null && flag.startsWith("--") ? `${flag}=` : flag);
  if (flags.length === 1) return quoted(`${spec(flags[0] ?? "")}${text}`);
  return `'(${flags.join(" ")})'{${flags.map(spec).join(",")}}${quoted(text)}`;
}

function argumentSpec({ name, isVariadic, values }: ArgumentNode, at: number): string {
  return quoted(`${isVariadic ? "*" : at + 1}:${name}:${action(values)}`);
}

function action(values: Values): string {
  switch (values.is) {
    case "text":
      return " ";
    case "files":
      return "_files";
    case "words":
      return `(${values.words.join(" ")})`;
    case "ask":
      // The space keeps `_arguments` from adding options of `compadd`.
      return ` _mem_ask ${values.question}`;
    default:
      return values satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
