// Completion scripts: each hands the words so far to `mem completion-values`, which answers with a word and its meaning on
// each line, or with `:files`.

const bash = `# Completion of mem for bash. Load it with: eval "$(mem completion bash)"
_mem() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :files ]] && return
    COMPREPLY+=("$(printf %q "\${line%%$'\\t'*}")")
  done < <("\${COMP_WORDS[0]}" completion-values -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  compopt +o default 2>/dev/null
}
complete -o default -F _mem mem
`;

const zsh = `#compdef mem
# Completion of mem for zsh. Load it after compinit with: eval "$(mem completion zsh)"
_mem() {
  local -a lines values texts
  lines=(\${(f)"$(mem completion-values -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $lines[1] == :files ]]; then
    compset -P '--*='
    _files
  else
    values=("\${(@)lines%%$'\\t'*}")
    texts=("\${(@)lines/$'\\t'/  -- }")
    compadd -l -d texts -a -- values
  fi
}
if [ "$funcstack[1]" = _mem ]; then _mem "$@"; else compdef _mem mem; fi
`;

const fish = `# Completion of mem for fish. Load it with: mem completion fish | source
function __mem_complete
  set -l given (commandline -opc)
  set -l typed (commandline -ct)
  set -l answer (mem completion-values -- $given[2..-1] $typed 2>/dev/null)
  if test "$answer[1]" = :files
    set -l flag (string match -r -- '^--[^=]+=' $typed)
    __fish_complete_path (string replace -- "$flag" '' $typed) | string replace -r -- '^' "$flag"
  else
    printf '%s\\n' $answer
  end
end
complete -c mem -e
complete -c mem -f -a '(__mem_complete)'
`;

/** What \`mem completion <shell>\` prints. Bash from 3.2 on, without the package bash-completion. */
export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
