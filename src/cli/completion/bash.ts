// Completion for bash, from 3.2 on: without associative arrays and without the package bash-completion.
import { type CommandNode, nodesBelow, type Values } from "./command-tree.ts";

/** The script that `mem completion bash` prints. */
export function bashScript(root: CommandNode): string {
  const nodes = nodesBelow(root);
  return `# Completion of mem for bash. Load it with: eval "$(mem completion bash)"
_mem_node() {
  commands= options= valued=
  case $1 in
${nodes.map(nodeRow).join("\n")}
  esac
}
_mem_place() {
  kind=text list=
  case $1 in
${nodes.flatMap(placeRows).join("\n")}
  esac
}
${walk}`;
}

function nodeRow({ path, commands, options }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags);
  const valued = options.flatMap((option) => (option.value === null ? [] : option.flags));
  const names = commands.map(({ name }) => name);
  const set = Object.entries({ commands: names, options: flags, valued }).filter(([, all]) => all.length > 0);
  return `  '${path}') ${set.map(([name, all]) => `${name}=' ${all.join(" ")} '`).join(" ")} ;;`;
}

// `mem search --format` for an option, `mem settings get 1` for an argument, `mem install *` for all that follow.
function placeRows({ path, options, arguments: given }: CommandNode): string[] {
  const ofOptions = options.flatMap(({ flags, value }) =>
    value === null ? [] : flags.map((flag) => placeRow(`'${path} ${flag}'`, value.values)),
  );
  const ofArguments = given.map(({ isVariadic, values }, at) =>
    placeRow(isVariadic ? `'${path} '[0-9]*` : `'${path} ${at + 1}'`, values),
  );
  return [...ofOptions, ...ofArguments].filter((row) => row !== "");
}

function placeRow(place: string, values: Values): string {
  switch (values.is) {
    case "text":
      return "";
    case "files":
      return `  ${place}) kind=files ;;`;
    case "words":
      return `  ${place}) kind=words list='${values.words.join(" ")}' ;;`;
    case "ask":
      return `  ${place}) kind=ask list=${values.question} ;;`;
    default:
      return values satisfies never;
  }
}

// Bash splits `--format=index` into three words. Labels may have spaces, so answers are read by line.
const walk = `_mem() {
  local commands options valued kind list word line before= at=mem open= count=0 i
  local IFS=$' \\t\\n'
  local cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    _mem_node "$at"
    if [[ $word == = ]]; then continue
    elif [[ -n $open && $open != -- ]]; then open=
    elif [[ $open != -- && $word == -* ]]; then
      if [[ $word == -- || $valued == *" $word "* ]]; then open=$word; fi
    elif [[ $count == 0 && $commands == *" $word "* ]]; then at="$at $word"
    else count=$((count + 1)) before=$word
    fi
  done
  _mem_node "$at"
  if [[ -n $open && $open != -- ]]; then _mem_place "$at $open"
  elif [[ $open != -- && $cur == -* ]]; then kind=words list=$options
  else
    _mem_place "$at $((count + 1))"
    if [[ $count == 0 && -n $commands ]]; then kind=words list="$commands $list"; fi
  fi
  [[ $kind == files ]] && return
  compopt +o default 2>/dev/null
  if [[ $kind == words ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$list" -- "$cur")
  elif [[ $kind == ask ]]; then
    while IFS= read -r line; do
      if [[ $line == "$cur"* ]]; then COMPREPLY+=("$(printf %q "$line")"); fi
    done < <("\${COMP_WORDS[0]}" completion-values "$list" -- "$before" 2>/dev/null)
  fi
}
complete -o default -F _mem mem
`;
