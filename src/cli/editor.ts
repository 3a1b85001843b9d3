// The user's editor: a file that is opened in it, and text that is written there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemError } from "../core/errors.ts";
import { editorCommand } from "../settings/environment.ts";
import type { CliContext } from "./context.ts";

/** Resolves when the editor has ended well. Throws `usage` when there is none, `cancelled` when it fails. */
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
  if (code !== 0) throw new MemError("cancelled", { message: `The editor ended with code ${code}.`, hint });
}

interface Draft {
  /** Of the file that the editor shows. */
  name: string;
  content: string;
  /** The command that is running; with `--from <file>` it opens a kept file. */
  command: string;
}

/** Lets the user edit the text, and applies it. What the user wrote is kept in a file when anything fails. */
export async function editText<T>(
  context: CliContext,
  { name, content, command }: Draft,
  apply: (text: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "mem-"));
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  try {
    await openEditor(context, path, `Name one for this command: \`EDITOR=nano ${command}\`.`);
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
