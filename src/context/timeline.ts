// The text of a session start: pinned records, start sections, the last session, and the timeline that the settings ask for.
import { type Budget, type Rendered, rowsWithin, textTokens } from "./budget.ts";
import { type Chosen, changedFiles, chosenObservations, pinnedObservations } from "./chosen.ts";
import {
  type ContextPort,
  type Injection,
  nothingToInject,
  type PlacedRecord,
  type ProjectFolders,
} from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { interruptedLine, lastWordsOf, marked, modelSummaries } from "./last-summary.ts";
import { plainLine } from "./quote.ts";
import { createMarkdown, frameOf, inColors, lastLines, pinnedLines, renderEmptyTerminal } from "./render.ts";
import { startSections } from "./start-sections.ts";
import { type ContextRow, type ContextView, headings, pinnedRows, timelineRows } from "./view.ts";

export interface TimelineRequest {
  projects: readonly string[];
  colors: boolean;
  budget: Budget;
  /** A directory of the work tree, if known. */
  cwd: string | null;
  /** Records that the reader has already. */
  known: ReadonlySet<number>;
  /** False leaves out routine work, but of a young project, and statements that the sections left out. */
  isWhole: boolean;
  /** `sdk_session_id` of the reader's session, "" for a new one; without it no interrupted turn is named. */
  exceptSession?: string | undefined;
}

export interface TimelineDeps {
  port: ContextPort;
  settings: ContextSettings;
  searchCommand: string;
}

/** Empty when there are no records, or none fits. The text in colors has the same rows. */
export async function timelineOf(
  deps: TimelineDeps,
  request: TimelineRequest,
  sparedTokens = 0,
): Promise<Injection> {
  const { view, quoted } = await viewFor(deps, request, sparedTokens);
  const fitting = fittingView(view, request.budget);
  // Sections do not count the indents of their lines.
  if (fitting === null && view.sections.length > 0 && sparedTokens === 0)
    return timelineOf(deps, request, indentTokens);
  if (fitting === null)
    return request.colors
      ? { ...nothingToInject, text: renderEmptyTerminal(view.projects) }
      : nothingToInject;
  const { text, shown } = fitting;
  const rows = fitting.view.rows.slice(0, shown);
  const { pinned } = view;
  // A table row shows only a title: beside sections, its record may still be injected in full later.
  const known = view.sections.length > 0 ? rows.filter((row) => row.expanded !== null) : rows;
  return {
    text: request.colors ? inColors(text) : text,
    records: [...quoted, ...[...pinned, ...known].flatMap((row) => row.ids)],
    changed: [...pinned, ...rows].filter(({ isChanged }) => isChanged).map(({ id }) => id),
    places: placesIn(fitting.view, rows),
  };
}

const indentTokens = 60;

function placesIn(
  { pinned, sections, lastSummary }: ContextView,
  rows: readonly ContextRow[],
): PlacedRecord[] {
  const observation = (id: number, section: string) => ({
    record: { kind: "observation" as const, id },
    section,
  });
  return [
    ...pinned.map(({ id }) => observation(id, headings.pinned)),
    ...sections.flatMap(({ heading, records }) => records.map((record) => ({ record, section: heading }))),
    ...(lastSummary === null
      ? []
      : [{ record: { kind: "session" as const, id: lastSummary.id }, section: headings.lastSession }]),
    ...rows.map(({ id, expanded }) => observation(id, expanded === null ? headings.brief : headings.full)),
  ];
}

async function viewFor(
  { port, settings, searchCommand }: TimelineDeps,
  { projects, cwd, known, budget, isWhole, exceptSession }: TimelineRequest,
  sparedTokens: number,
): Promise<{ view: ContextView; quoted: readonly number[] }> {
  const foldersOf = foldersOnce(port);
  const about = async (chosen: readonly Chosen[]) => {
    const records = chosen.map(({ observation }) => observation);
    return { projects, settings, foldersOf, changed: await changedFiles(port, records, cwd) };
  };
  const frame = { projects: projects.map((project) => plainLine(project, maxProjectChars)), searchCommand };
  const frameTokens = textTokens(frameOf(frame)) + sparedTokens;
  const room = Math.min(budget.tokens, budget.bytes / maxTokenBytes) - frameTokens;

  const pins = pinnedObservations(port, projects, { settings, known });
  const pinned = pinnedWithin(room, pinnedRows(pins, await about(pins)));
  const beside = room - linesTokens(pinnedLines(pinned));
  const asksForLast = settings.lastSummary || settings.lastMessage;
  const wanted = { settings, known, count: settings.observations, isWhole };
  const summaries = modelSummaries(port, projects);
  const isRead = asksForLast || summaries.length > 0;
  const recent = isRead ? chosenObservations(port, projects, wanted).map((one) => one.observation) : [];
  const last = lastWordsOf(port, projects, { settings, recent });
  const tokens = beside - Math.min(linesTokens(lastLines(last)), beside / 2);
  // A text of any length, as requested over HTTP, has the same sections as one for a host.
  const sectionTokens = Math.min(maxSectionTokens - frameTokens, tokens);
  const rulesCommand = searchCommand.endsWith(" search")
    ? searchCommand.replace(/search$/, "rules")
    : undefined;
  const forSections = {
    ...{ projects, known, tokens: sectionTokens },
    interrupted: exceptSession === undefined ? null : interruptedLine(port, projects, exceptSession),
    summaries: marked(
      summaries.filter(({ id }) => id !== last.lastSummary?.id),
      recent,
    ),
    ...(rulesCommand && { rulesCommand }),
  };
  const { sections, isKept, records: quoted } = startSections(port.statements, forSections);
  const left =
    tokens - linesTokens(sections.flatMap(({ heading, lines }) => ["", `## ${heading}`, ...lines]));
  const chosen = chosenObservations(port, projects, {
    ...wanted,
    known: new Set([...known, ...quoted, ...pins.map((one) => one.observation.id)]),
    count: left < leastTimelineTokens || (isKept && !isWhole) ? 0 : settings.observations - pinned.length,
    hasSections: sections.some(({ records }) => records.length > 0),
  });
  const rows = timelineRows(chosen, await about(chosen));
  return { view: { ...frame, ...last, pinned, sections, rows, show: settings }, quoted };
}

const maxProjectChars = 60;
const maxSectionTokens = 1_000;
const maxTokenBytes = 4;
// Less has no room for a heading and a record.
const leastTimelineTokens = 60;

/** As many as fit. Their details are left out where they would take more than half of the room. */
function pinnedWithin(room: number, rows: readonly ContextRow[]): readonly ContextRow[] {
  if (linesTokens(pinnedLines(rows)) <= room / 2) return rows;
  const brief = rows.map((row) => ({ ...row, expanded: [] }));
  while (brief.length > 0 && linesTokens(pinnedLines(brief)) > room) brief.pop();
  return brief;
}

function linesTokens(lines: readonly string[]): number {
  return lines.length === 0 ? 0 : textTokens(`${lines.join("\n")}\n`);
}

// Many rows belong to one project.
function foldersOnce(port: ContextPort): (project: string) => ProjectFolders {
  const known = new Map<string, ProjectFolders>();
  return (project) => {
    const folders = known.get(project) ?? port.foldersOf?.(project) ?? { roots: [], names: [project] };
    known.set(project, folders);
    return folders;
  };
}

function isEmpty({ pinned, rows, sections, lastSummary, lastMessage }: ContextView): boolean {
  return pinned.length + rows.length + sections.length === 0 && lastSummary === null && lastMessage === null;
}

// Beside pinned records and sections the timeline takes only the room that is left, and is left out where no record fits.
// Without them the last message, then the last summary, then the details of records make room for a record.
function fittingView(view: ContextView, budget: Budget): (Rendered & { view: ContextView }) | null {
  const withoutMessage = { ...view, lastMessage: null };
  const onlyRecords = { ...withoutMessage, lastSummary: null };
  const brief = (one: ContextView) => ({ ...one, rows: one.rows.map((row) => ({ ...row, expanded: null })) });
  const whole = [view, withoutMessage, onlyRecords];
  const isBeside = view.pinned.length + view.sections.length > 0;
  const tried = isBeside
    ? whole.flatMap((one) => [one, brief(one), { ...one, rows: [] }])
    : [...whole, brief(onlyRecords)];
  for (const smaller of tried) {
    const rendered = rowsWithin(smaller.rows, budget, createMarkdown(smaller));
    if (rendered !== null && (rendered.shown > 0 || smaller.rows.length === 0))
      return isEmpty(smaller) ? null : { ...rendered, view: smaller };
  }
  return null;
}
