// The environment of the process. No other file reads `process.env`.

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The environment for a child process: ours with `changes`; undefined removes a variable. */
export function childEnvironment(environment: Environment, changes: Environment): NodeJS.ProcessEnv {
  const child: NodeJS.ProcessEnv = { ...environment };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete child[name];
    else child[name] = value;
  }
  return child;
}

/** Whether to print colors: https://no-color.org, and the common meaning of `FORCE_COLOR`. */
export function wantsColor(environment: Environment, isTerminal: boolean): boolean {
  if ((environment.NO_COLOR ?? "") !== "") return false;
  const forced = environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && environment.TERM !== "dumb";
}

/** The user's editor, as words to run; null when none is named. */
export function editorCommand(environment: Environment): string[] | null {
  const named = [environment.VISUAL, environment.EDITOR].find((value) => value !== undefined && value !== "");
  return named === undefined ? null : named.split(/\s+/).filter((word) => word !== "");
}

/** The user's pager, as words to run; null when none is wanted. */
export function pagerCommand({ MEM_PAGER, PAGER, TERM }: Environment): string[] | null {
  // less waits for a key there, to say that the terminal can do little.
  const usual = TERM === "dumb" ? "cat" : "less";
  const words = (MEM_PAGER ?? PAGER ?? usual).split(/\s+/).filter((word) => word !== "");
  return words.length === 0 || words[0] === "cat" ? null : words;
}
