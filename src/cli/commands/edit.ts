// `mem edit`: another title or text for an observation.
import type { Command } from "commander";
import type { TextChange, WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { isQuote, wholeText } from "../../core/records/quoted-text.ts";
import type { Observation } from "../../core/records/records.ts";
import { addCommand, type JsonOptions, jsonOption, observationId } from "../command.ts";
import type { CliContext } from "../context.ts";
import { editText, keptText } from "../editor.ts";
import { observationAsJson } from "../search-list.ts";
import { printWrapped } from "../table.ts";

interface EditOptions extends TextChange, JsonOptions {
  from?: string;
}

/** Adds `mem edit`. */
export function registerEdit(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "edit",
    about: "Change the text of an observation in your editor",
    arguments: [["<id>", "number from `mem search` or `mem rules`", observationId]],
    options: [
      ["--text <text>", "the new text, without an editor"],
      ["--title <title>", "the new title, without an editor"],
      ["--from <file>", "open this file, kept by an edit that failed"],
      jsonOption,
    ],
    examples: ["mem edit 12", 'mem edit 12 --text "The cache is keyed by tenant and path."'],
    run: (id: number, options: EditOptions) => editObservation(context, id, options),
  });
}

async function editObservation(context: CliContext, id: number, options: EditOptions): Promise<void> {
  const { io } = context;
  const { text, title, from, json } = options;
  checkOptions(id, options);
  const stored = await storedObservation(context, id);
  const change = { ...(text !== undefined && { text }), ...(title !== undefined && { title }) };
  const edited =
    text !== undefined || title !== undefined
      ? await context.worker().editText(id, change)
      : await inEditor(context, stored, from);
  if (json === true) io.json(observationAsJson(edited));
  else if (edited.revision === stored.revision) io.out("Nothing changed.");
  else printWrapped(io, io.out, `Edited #${id}: ${edited.title}`);
}

function checkOptions(id: number, { text, title, from }: EditOptions): void {
  if (from !== undefined && (text !== undefined || title !== undefined)) {
    throw new MemError("usage", {
      message: "--from opens an editor, so it excludes --text and --title.",
      hint: "See `mem edit --help`.",
    });
  }
  for (const [name, given] of Object.entries({ text, title })) {
    if (given?.trim() !== "") continue;
    throw new MemError("usage", {
      message: `The new ${name} is empty. Nothing was changed.`,
      hint: `To hide the observation: \`mem reject ${id}\`.`,
    });
  }
}

/** Opens the observation in the user's editor and stores what was written. */
export async function editInEditor(
  context: CliContext,
  id: number,
): Promise<{ observation: Observation; isChanged: boolean }> {
  const stored = await storedObservation(context, id);
  const observation = await inEditor(context, stored, undefined);
  return { observation, isChanged: observation.revision !== stored.revision };
}

type StoredObservation = Awaited<ReturnType<WorkerClient["observationsOf"]>>[number];

async function storedObservation(context: CliContext, id: number): Promise<StoredObservation> {
  const [stored] = await context.worker().observationsOf([id]);
  if (stored !== undefined) return stored;
  throw new MemError("not_found", {
    message: `No observation ${id}.`,
    hint: "List observations with their ids: `mem search <words>`.",
  });
}

async function inEditor(
  context: CliContext,
  stored: StoredObservation,
  from: string | undefined,
): Promise<Observation> {
  const { id } = stored;
  const worker = context.worker();
  // The title of a quote is the beginning of its text.
  const hasTitle = !isQuote(stored);
  const content = from === undefined ? contentOf(stored, hasTitle) : await keptText(from);
  const draft = { name: `observation-${id}.txt`, content, command: `mem edit ${id}` };
  return editText(context, draft, (written) => worker.editText(id, changeIn(written, hasTitle)));
}

type Texts = Pick<Observation, "title" | "summary" | "narrative">;

function contentOf(stored: Texts, hasTitle: boolean): string {
  const text = hasTitle ? `${stored.title}\n\n${wholeText(stored)}` : wholeText(stored);
  const order = hasTitle ? "# First line: the title. Below the empty line: the text.\n" : "";
  return `${text}\n\n${cutLine}\n${order}# This line and everything below the dashes is ignored.\n`;
}

// Text of an observation may have lines that begin with #: only what is below this line is a comment.
const cutLine = "# ------------------------ >8 ------------------------";

function changeIn(written: string, hasTitle: boolean): TextChange {
  const kept = written.replace(/\r\n/g, "\n").split(`\n${cutLine}`)[0]?.trim() ?? "";
  if (kept === "" || kept.startsWith(cutLine)) {
    throw new MemError("cancelled", { message: "The text is empty. Nothing was changed." });
  }
  if (!hasTitle) return { text: kept };
  const [title = "", ...rest] = kept.split("\n");
  const text = rest.join("\n").trim();
  if (text !== "") return { title, text };
  throw new MemError("usage", {
    message: "The text is missing. Nothing was changed.",
    hint: "Write the title on the first line and the text below an empty line.",
  });
}
