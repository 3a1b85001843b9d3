// `mem` alone on a terminal, and the live feed of `mem watch`: the screens, loaded only here.
import { MemError, toMemError } from "../core/errors.ts";
import type { Environment } from "../settings/environment.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { editInEditor } from "./commands/edit.ts";
import type { CliContext } from "./context.ts";

/** Whether a program may take the terminal over: both ends are one, and no CI job only says so. */
export function isInteractive(environment: Environment, { isTerminal }: { isTerminal: boolean }): boolean {
  const { CI = "", TERM } = environment;
  const isCi = CI !== "" && CI !== "0" && CI !== "false";
  return isTerminal && process.stdin.isTTY === true && !isCi && TERM !== "dumb";
}

interface ScreenOptions {
  feedOnly: boolean;
  project?: string;
}

/** Opens the screens, and resolves when the user quits. Starts the worker first, as every command does. */
export async function openScreens(context: CliContext, { feedOnly, project }: ScreenOptions): Promise<void> {
  const worker = context.worker();
  await worker.health();
  const { runProgram } = await import("./tui/program.ts");
  context.quiet();
  await runProgram({
    worker,
    dataDir: context.dataDir(),
    clock: context.clock,
    terminal: { stdin: process.stdin, stdout: process.stdout },
    color: context.io.color,
    feedOnly,
    ...(project !== undefined && { project }),
    types: () => modeTypes(context),
    edit: (id) => edit(context, id),
  });
}

async function modeTypes(context: CliContext): Promise<readonly string[]> {
  const { loadActiveMode } = await import("../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const { mode } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir });
  return mode.types.map(({ id }) => id);
}

async function edit(context: CliContext, id: number) {
  const notes: string[] = [];
  const quiet = { ...context, io: { ...context.io, err: (line: string) => void notes.push(line) } };
  try {
    const { observation, isChanged } = await editInEditor(quiet, id);
    if (!isChanged) return { text: "Nothing was changed.", tone: "plain" as const, undo: null };
    const trashId = await newestEdit(context, observation.id);
    const what = `The text of observation ${id} from before`;
    return {
      text: `Edited #${id}: ${terminalLine(observation.title)}`,
      tone: "good" as const,
      undo: trashId === undefined ? null : { do: "restore" as const, trashId, what },
    };
  } catch (thrown) {
    const { code, message, hint = "" } = toMemError(thrown);
    throw new MemError(code, { message, hint: [hint, ...notes].join(" ") });
  }
}

async function newestEdit(context: CliContext, id: number): Promise<number | undefined> {
  const { items } = await context.worker().trash({ limit: 100 });
  return items.find((item) => item.action === "edited" && item.kind === "observation" && item.id === id)
    ?.trash_id;
}
