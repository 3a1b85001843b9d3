// Texts of `mem import`: progress, summary and preview.
import type { ImportProgress } from "../imports/import.ts";
import type { ImportPreview, PreviewProgress } from "../imports/preview.ts";
import { inShell } from "../text/in-shell.ts";
import { oneLine } from "../text/plain-text.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { bytesInWords, counted, homePath, localDate } from "./words.ts";

/** `3 of 12 files, 140 prompts and 2,300 tool uses imported`. */
export function importProgressText({
  finished,
  sources,
  prompts,
  toolUses,
  records,
  waiting,
}: ImportProgress): string {
  const read = `${finished.toLocaleString("en-US")} of ${counted(sources, "source")}`;
  if (finished === sources && waiting > 0)
    return `${read}; ${counted(waiting, "message")} without a record yet`;
  const rest = records === 0 ? "" : `, ${counted(records, "record")}`;
  return `${read}, ${counted(prompts, "prompt")}, ${counted(toolUses, "tool use")}${rest} imported`;
}

export function previewProgressText({ done, total }: PreviewProgress): string {
  return `Looking: ${Math.floor((100 * done) / Math.max(1, total))} % read`;
}

/** One sentence a line. */
export function importSummary(ended: ImportProgress): string[] {
  const { sessions, prompts, toolUses, turns, records, known, skipped, malformed, malformedAt, waiting } =
    ended;
  const isNew = prompts + toolUses + turns + records > 0;
  const counts = [
    [sessions, counted(sessions, "session")],
    [prompts, counted(prompts, "prompt")],
    [toolUses, counted(toolUses, "tool use")],
    [turns, counted(turns, "turn")],
    [records, counted(records, "record")],
  ] as const;
  const places = malformedAt.map((place) => terminalLine(homePath(place))).join(", ");
  return [
    isNew
      ? `Imported ${counts.flatMap(([count, words]) => (count === 0 ? [] : [words])).join(", ")}.`
      : ended.sources === 0
        ? "Nothing to import was found. The sources: `mem import --help`."
        : "Nothing new.",
    ...(known === 0 ? [] : [`Already there: ${counted(known, "event")}.`]),
    ...(skipped === 0 ? [] : [`Left out: ${counted(skipped, "event")} (private, deleted, or excluded).`]),
    ...(ended.excluded === 0
      ? []
      : [
          `Excluded, left out: ${counted(ended.excluded, "record")}. See \`mem project list\` and MEM_EXCLUDE_PATHS.`,
        ]),
    ...(malformed === 0 ? [] : [`Not readable: ${counted(malformed, "line")}, the first at ${places}.`]),
    ...unreadableLines(ended.unreadable),
    ...(ended.unfinished === 0
      ? []
      : [
          `Perhaps still running, without its end: the last turn of ${counted(ended.unfinished, "session")}. Import again later.`,
        ]),
    ...(waiting === 0 ? [] : [`${counted(waiting, "message")} wait for their records: see \`mem queue\`.`]),
    ...(toolUses + turns > 0
      ? ["Local rules wrote the records. Rewrite them with a model: `mem regenerate --dry-run`."]
      : []),
  ];
}

const shownUnreadable = 20;

function unreadableLines(unreadable: readonly string[]): string[] {
  const more = unreadable.length - shownUnreadable;
  return [
    ...unreadable.slice(0, shownUnreadable).map((why) => terminalLine(homePath(why))),
    ...(more > 0 ? [`And ${more} more that cannot be read; --json names all.`] : []),
  ];
}

/** One line for each source and project, with the newest prompts below. */
export function previewLines({ sources, projects, malformed, unreadable }: ImportPreview): string[] {
  const found = sources.map(({ kind, files, bytes, imported }) => {
    const part = imported === bytes ? "all" : bytesInWords(imported);
    const size = `${counted(files, "file")}, ${bytesInWords(bytes)}`;
    return `${kind}: ${size}${imported === 0 ? "" : `, ${part} imported before`}`;
  });
  return [
    ...found,
    ...projects.flatMap(({ project, fromEpoch, untilEpoch, samples, ...counts }) => [
      "",
      `${terminalLine(project)}  ${localDate(new Date(fromEpoch))} to ${localDate(new Date(untilEpoch))}: ${countsInWords(counts)}`,
      ...samples.map((sample) => `  ${oneLine(terminalLine(sample), sampleChars)}`),
    ]),
    ...(malformed === 0 ? [] : ["", `${counted(malformed, "line")} cannot be read and would be left out.`]),
    ...(unreadable.length === 0 ? [] : ["", ...unreadableLines(unreadable)]),
    ...(projects.length > 0 ? [] : [wasImported(sources) ? "Nothing new to import." : "Nothing to import."]),
  ];
}

/** Whether an import has read something of the sources before. */
export function wasImported(sources: ImportPreview["sources"]): boolean {
  return sources.some(({ imported }) => imported > 0);
}

/** `In all: 12 sessions, 72 prompts, 432 tool uses of 7 projects.` */
export function totalInWords({ projects }: ImportPreview): string {
  const total = { sessions: 0, prompts: 0, toolUses: 0, records: 0 };
  for (const project of projects)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += project[name];
  return `In all: ${countsInWords(total)} of ${counted(projects.length, "project")}.`;
}

const sampleChars = 76;

function countsInWords({
  sessions,
  prompts,
  toolUses,
  records,
}: Record<"sessions" | "prompts" | "toolUses" | "records", number>): string {
  const words = [
    [sessions, "session"],
    [prompts, "prompt"],
    [toolUses, "tool use"],
    [records, "record"],
  ] as const;
  return words.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)])).join(", ");
}

/** The command that goes on with an import; `auto` does not ask a second time. */
export function sameImport(
  { source, path }: { source: string | null; path: string | undefined },
  selection: { project?: string; since?: string; limit?: number },
): string {
  const selected = (["project", "since", "limit"] as const).flatMap((name) =>
    selection[name] === undefined ? [] : [`--${name}`, String(selection[name])],
  );
  const asked = source === null ? ["auto", "--yes"] : [source];
  return ["mem", "import", ...asked, ...(path === undefined ? [] : [path]), ...selected]
    .map(inShell)
    .join(" ");
}
