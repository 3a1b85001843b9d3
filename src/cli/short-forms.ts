// Short command lines that people type, expanded before they are parsed.

/** A first word and the words it stands for. */
export const shortForms: Readonly<Record<string, readonly string[]>> = {
  version: ["--version"],
  config: ["settings"],
  logs: ["worker", "logs"],
  start: ["worker", "start"],
  stop: ["worker", "stop"],
  restart: ["worker", "restart"],
};

/** What a group of commands does when it is given no command. */
export const defaultCommands: Readonly<Record<string, string>> = {
  folders: "list",
  keys: "list",
  mode: "list",
  project: "list",
  queue: "list",
  settings: "list",
  worker: "status",
};

/** The command line in full. `mem help a b` is `mem a b --help`. */
export function expandShortForms(words: readonly string[]): string[] {
  const [first, ...rest] = words;
  if (first === undefined) return ["--help"];
  if (first === "help") return rest[0] === "exit-codes" ? rest : [...named(rest), "--help"];
  const [group = "", next] = named(words);
  const command = Object.hasOwn(defaultCommands, group) ? defaultCommands[group] : undefined;
  const hasNone = next === undefined || (next.startsWith("-") && next !== "--help" && next !== "-h");
  return command === undefined || !hasNone ? named(words) : [group, command, ...named(words).slice(1)];
}

function named(words: readonly string[]): string[] {
  const [first = "", ...rest] = words;
  const form = Object.hasOwn(shortForms, first) ? shortForms[first] : undefined;
  return form === undefined ? [...words] : [...form, ...rest];
}
