// `mem trash`: lists deleted records and edits, restores them, and empties the trash.
import { type Command, InvalidArgumentError } from "commander";
import type { ForgetReceipts, RestoredRecord, TrashPage } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { countsInWords, deletedInWords } from "../../core/records/forget.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, count, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import { demandYes } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { restoreError } from "../restore-error.ts";
import { printTable } from "../table.ts";
import { refuseUnknownProject } from "../unknown-project.ts";
import { ageInWords, counted, localDate } from "../words.ts";

interface ListOptions extends JsonOptions {
  project?: string;
  limit?: number;
  offset?: number;
}

interface EmptyOptions extends JsonOptions {
  yes?: true;
}

/** Adds `mem trash`, `mem trash restore`, `mem trash empty` and `mem trash receipts`. */
export function registerTrash(program: Command, context: CliContext): void {
  const trash = addCommand(program, context, {
    name: "trash",
    about: "List deleted records and edits of the last 30 days, restore them, or empty the trash",
    options: [
      projectOption("one project only"),
      ["--limit <count>", "entries, 1-100 (default: 20)", count(1, 100)],
      ["--offset <count>", "entries to skip", count(0, 100_000)],
      jsonOption,
    ],
    examples: ["mem trash # newest first", "mem trash --project shop --json"],
    paged: true,
    run: (options: ListOptions, { args }: Command) => {
      checkWords(args);
      return list(context, options);
    },
  }).allowExcessArguments();
  addCommand(trash, context, {
    name: "restore",
    about: "Restore a deleted record, or the text from before an edit",
    arguments: [["<id>", "number of the entry from `mem trash`", entryId]],
    options: [jsonOption],
    examples: ["mem trash restore 7", "mem trash restore 7 --json"],
    run: (id: number, { json }: JsonOptions) => restore(context, id, json === true),
  });
  addCommand(trash, context, {
    name: "empty",
    about: "Delete everything in the trash for good",
    options: [["--yes", "do not ask"], jsonOption],
    examples: ["mem trash empty", "mem trash empty --yes # in a script"],
    run: (options: EmptyOptions) => empty(context, options),
  });
  addCommand(trash, context, {
    name: "receipts",
    about: "List what `mem forget` deleted: counts and times, no content",
    options: [jsonOption],
    examples: ["mem trash receipts", "mem trash receipts --json"],
    run: (options: JsonOptions) => listReceipts(context, options),
  });
}

function entryId(text: string): number {
  if (/^#?[1-9]\d{0,14}$/.test(text)) return Number(text.replace("#", ""));
  throw new InvalidArgumentError("It must be a number from `mem trash`.");
}

// `mem trash list` works too.
function checkWords([word, ...more]: readonly string[]): void {
  if (word === undefined || (word === "list" && more.length === 0)) return;
  throw new MemError("usage", {
    message: `No such command: \`mem trash ${terminalLine([word, ...more].join(" ")).slice(0, 60)}\`.`,
    hint: "List the trash: `mem trash`. Other calls: `mem trash --help`.",
  });
}

async function list(context: CliContext, { json, ...page }: ListOptions): Promise<void> {
  const { io } = context;
  const { items, hasMore, ...place } = await context.worker().trash(page);
  if (items.length === 0) await refuseUnknownProject(context.worker(), page.project);
  if (json === true) {
    io.json({ items, has_more: hasMore, ...place });
    return;
  }
  if (items.length === 0) {
    io.err(place.offset > 0 ? "Nothing more is in the trash." : "The trash is empty.");
    return;
  }
  const now = context.clock.now();
  printTable(
    io,
    [
      { title: "Id" },
      { title: "Kind" },
      { title: "Title", flexible: true },
      { title: "When" },
      { title: "Gone on" },
    ],
    items.map((item) => cellsOf(item, now)),
  );
  if (hasMore) io.err(`More: \`mem trash --offset ${place.offset + items.length}\`.`);
  io.err("Restore one: `mem trash restore <id>`.");
}

function cellsOf(item: TrashPage["items"][number], now: number): string[] {
  const { trash_id, kind, action, title, at_epoch, undo_until_epoch, forget } = item;
  const what = forget !== undefined ? "forget" : action === "edited" ? `${kind}, edited` : kind;
  const gone = localDate(new Date(undo_until_epoch));
  return [String(trash_id), what, terminalLine(title), ageInWords(at_epoch, now), gone];
}

async function restore(context: CliContext, id: number, asJson: boolean): Promise<void> {
  const { io } = context;
  const done = await context
    .worker()
    .restore(id)
    .catch((thrown: unknown) => {
      throw restoreError(thrown);
    });
  if (asJson) io.json(done);
  else io.out(`Restored ${restoredInWords(done)}.`);
  if (!asJson && (done.left ?? 0) > 0)
    io.err(`${counted(done.left ?? 0, "entry", "entries")} cannot be restored now and stay in the trash.`);
}

function restoredInWords({ kind, id, restored, left }: RestoredRecord): string {
  return left === undefined ? `${kind} ${id}` : countsInWords(restored);
}

async function empty(context: CliContext, { yes, json }: EmptyOptions): Promise<void> {
  const { io } = context;
  const worker = context.worker();
  const { items } = await worker.trash({ limit: 1 });
  if (yes !== true && items.length > 0) {
    await demandYes({
      json,
      question: "Delete everything in the trash for good?",
      refusal: "Nothing was deleted.",
      unasked: {
        message: "This cannot be undone, and there is no terminal to ask.",
        hint: "Run `mem trash empty --yes`.",
      },
    });
  }
  const done = await worker.emptyTrash();
  if (json === true) {
    io.json(done);
    return;
  }
  io.out(
    done.deleted === 0
      ? "The trash is empty already."
      : `Deleted ${counted(done.deleted, "entry", "entries")} for good.`,
  );
  if (done.left > 0)
    io.err(
      `The ids of ${counted(done.left, "session")} stay: deleted during a private prompt, and what follows is private too.`,
    );
}

async function listReceipts(context: CliContext, { json }: JsonOptions): Promise<void> {
  const { io } = context;
  const { items } = await context.worker().forgetReceipts();
  if (json === true) {
    io.json({ items });
    return;
  }
  if (items.length === 0) {
    io.err("Nothing was deleted with `mem forget` yet.");
    return;
  }
  printTable(
    io,
    [
      { title: "Receipt" },
      { title: "When" },
      { title: "By" },
      { title: "Deleted", flexible: true },
      { title: "State" },
    ],
    items.map((item) => [
      String(item.id),
      localDate(new Date(item.at_epoch)),
      item.chosen_by,
      deletedInWords(item.counts),
      receiptState(item),
    ]),
  );
  if (items.some(({ trash_id }) => trash_id !== null))
    io.err("Restore one in the trash, by its number there: `mem trash restore <id>`.");
}

function receiptState({ trash_id, gone_at_epoch, erased_at_epoch }: ForgetReceipts["items"][number]): string {
  if (gone_at_epoch === null) return trash_id === null ? "in the trash" : `trash ${trash_id}`;
  const day = localDate(new Date(erased_at_epoch ?? gone_at_epoch));
  return erased_at_epoch === null ? `deleted ${day}` : `erased ${day}`;
}
