// Opens a file or a text in the user's editor.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemError } from "../core/errors.ts";
import { editorCommand } from "../settings/environment.ts";
import type { CliContext } from "./context.ts";

/** Resolves when the editor exits with 0. Throws `usage` without an editor, `cancelled` when it fails. */
export async function openEditor(
  { environment }: Pick<CliContext, "environment">,
  path: string,
  hint: string,
): Promise<void> {
  const [command, ...rest] = editorCommand(environment) ?? [];
  if (command === undefined) throw new MemError("usage", { message: "No editor is set.", hint });
  const editor = spawn(command, [...rest, path], { stdio: "inherit" });
  const [code] = await once(editor, "exit").catch((cause: unknown) => {
    throw new MemError("usage", { message: `The editor ${command} cannot be started.`, hint, cause });
  });
  if (code !== 0) throw new MemError("cancelled", { message: `The editor exited with ${code}.`, hint });
}

interface Draft {
  /** Name of the file that the editor shows. */
  name: string;
  content: string;
  /** The command that is running; with `--from <file>` it opens a kept file. */
  command: string;
}

/** Lets the user edit the text, and applies it. Keeps the edited file when anything fails. */
export async function editText<T>(
  context: CliContext,
  { name, content, command }: Draft,
  apply: (text: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "mem-"));
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  try {
    await openEditor(context, path, `Set one for this command: \`EDITOR=nano ${command}\`.`);
    const result = await apply(await readFile(path, "utf8"));
    await rm(folder, { recursive: true });
    return result;
  } catch (error) {
    const written = await readFile(path, "utf8").catch(() => content);
    if (written === content) await rm(folder, { recursive: true });
    else context.io.err(`Your text is kept. Continue with it: \`${command} --from ${path}\`.`);
    throw error;
  }
}

/** The content of a file that `editText` kept. Throws `usage` when it cannot be read. */
export async function keptText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw new MemError("usage", {
      message: `The file ${path} cannot be read.`,
      hint: "Run the command without --from to start from what is stored.",
      cause,
    });
  });
}
