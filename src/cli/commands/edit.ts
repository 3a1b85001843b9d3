// `mem edit`: writes another title or text in place of an observation's.
import type { Command } from "commander";
import type { TextChange, WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { isQuote, wholeText } from "../../core/records/quoted-text.ts";
import type { Observation } from "../../core/records/records.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { editText, keptText } from "../editor.ts";
import { withExamples } from "../examples.ts";
import { observationId } from "../observation-id.ts";

interface EditOptions extends TextChange {
  from?: string;
  json?: true;
}

/** Adds `mem edit`. */
export function registerEdit(program: Command, context: CliContext): void {
  const edit = program
    .command("edit")
    .description("change the text of an observation in your editor ($VISUAL or $EDITOR)")
    .argument("<id>", "number from `mem search` or `mem rules`", observationId)
    .option("--text <text>", "the new text, without an editor")
    .option("--title <title>", "the new title, without an editor")
    .option("--from <file>", "start the editor with a file that was kept")
    .option("--json", "print the observation as JSON")
    .action((id: number, options: EditOptions) => editObservation(context, id, options));
  withExamples(edit, [
    ["mem edit 12", ""],
    ['mem edit 12 --text "The cache is keyed by tenant and path."', ""],
  ]);
}

async function editObservation(
  context: CliContext,
  id: number,
  { text, title, from, json }: EditOptions,
): Promise<void> {
  const { io } = context;
  const isGiven = text !== undefined || title !== undefined;
  if (isGiven && from !== undefined) {
    throw new MemError("usage", {
      message: "--from opens an editor: it does not go with --text and --title.",
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
  const stored = await storedObservation(context, id);
  const change = { ...(text !== undefined && { text }), ...(title !== undefined && { title }) };
  const edited = isGiven
    ? await context.worker().editText(id, change)
    : await inEditor(context, stored, from);
  if (json === true) {
    io.json(edited);
    return;
  }
  const done =
    edited.revision === stored.revision ? "Nothing changed." : `Edited #${id}: ${terminalLine(edited.title)}`;
  for (const line of wrapToWidth(done, io.columns)) io.out(line);
}

type StoredObservation = Awaited<ReturnType<WorkerClient["observationsOf"]>>[number];

async function storedObservation(context: CliContext, id: number): Promise<StoredObservation> {
  const [stored] = await context.worker().observationsOf([id]);
  if (stored !== undefined) return stored;
  throw new MemError("not_found", {
    message: `There is no observation ${id}.`,
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
  return `${text}\n\n${cutLine}\n${order}# This line and all below the line of dashes are left out.\n`;
}

// Text of an observation may have lines that begin with #, so comments stand below one line only.
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
    message: "There is a title and no text. Nothing was changed.",
    hint: "Write the title on the first line and the text below an empty line.",
  });
}
