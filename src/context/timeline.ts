// The timeline of one or more projects as a text within its budget.
import type { SessionSummary } from "../core/records/records.ts";
import { type Budget, type Rendered, rowsWithin, textTokens } from "./budget.ts";
import { changedFiles, chosenObservations } from "./chosen.ts";
import {
  type ContextPort,
  type Injection,
  nothingToInject,
  type PlacedRecord,
  type ProjectFolders,
} from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { createMarkdown, frameOf, renderEmptyTerminal, renderTerminal } from "./render.ts";
import type { RuleReader } from "./rule-lines.ts";
import { startSections } from "./start-sections.ts";
import { type ContextRow, type ContextView, headings, viewOf } from "./view.ts";

export interface TimelineRequest {
  projects: readonly string[];
  colors: boolean;
  budget: Budget;
  /** A directory of the work tree, if known. */
  cwd: string | null;
  /** Records that the reader has already. */
  known: ReadonlySet<number>;
}

export interface TimelineDeps {
  port: ContextPort;
  settings: ContextSettings;
  searchCommand: string;
  readRules: RuleReader;
}

/** Empty when there are no records, or none fits. The text in colors has the same rows. */
export async function timelineOf(deps: TimelineDeps, request: TimelineRequest): Promise<Injection> {
  const { view, quoted, fitting } = await fittingTimeline(deps, request);
  if (fitting === null)
    return request.colors
      ? { ...nothingToInject, text: renderEmptyTerminal(view.projects) }
      : nothingToInject;
  const { text, shown } = fitting;
  const rows = fitting.view.rows.slice(0, shown);
  // A table row shows only a title: beside sections, its record may still be injected in full later.
  const known = view.sections.length > 0 ? rows.filter((row) => row.expanded !== null) : rows;
  return {
    text: request.colors ? renderTerminal(fitting.view, shown) : text,
    records: [...quoted, ...known.flatMap((row) => row.ids)],
    changed: rows.filter(({ isChanged }) => isChanged).map(({ id }) => id),
    places: placesIn(fitting.view, rows),
  };
}

interface FittingTimeline {
  view: ContextView;
  quoted: readonly number[];
  /** Null when nothing fits. */
  fitting: (Rendered & { view: ContextView }) | null;
}

// Rows that do not fit add a line about the remainder, which then takes its tokens from the sections.
async function fittingTimeline(deps: TimelineDeps, request: TimelineRequest): Promise<FittingTimeline> {
  const first = await fittingWithout(deps, request, 0);
  if (first.fitting !== null || first.view.sections.length === 0) return first;
  return fittingWithout(deps, request, remainderTokens);
}

const remainderTokens = 60;

async function fittingWithout(
  deps: TimelineDeps,
  request: TimelineRequest,
  sparedTokens: number,
): Promise<FittingTimeline> {
  const { view, quoted } = await viewFor(deps, request, sparedTokens);
  return { view, quoted, fitting: isEmpty(view) ? null : fittingView(view, request.budget) };
}

function placesIn({ sections, lastSummary }: ContextView, rows: readonly ContextRow[]): PlacedRecord[] {
  return [
    ...sections.flatMap(({ heading, records }) => records.map((record) => ({ record, section: heading }))),
    ...(lastSummary === null
      ? []
      : [{ record: { kind: "session" as const, id: lastSummary.id }, section: headings.lastSession }]),
    ...rows.map(({ id, expanded }) => ({
      record: { kind: "observation" as const, id },
      section: expanded === null ? headings.brief : sections.length > 0 ? headings.pinned : headings.full,
    })),
  ];
}

async function viewFor(
  { port, settings, searchCommand, readRules }: TimelineDeps,
  { projects, cwd, known, budget }: TimelineRequest,
  sparedTokens: number,
): Promise<{ view: ContextView; quoted: readonly number[] }> {
  // A text of any length, as requested over HTTP, has the same sections as one for a host.
  const available = Math.min(budget.tokens, maxSectionTokens) - sparedTokens;
  const tokens = available - textTokens(frameOf({ projects, searchCommand }));
  const { sections, records: quoted } = startSections(
    port.statements,
    { projects, known, tokens },
    readRules,
  );
  // Other records are listed beside sections only if the user set a count; the last summary marks titles of any record.
  const onlyPinned = sections.length > 0 && settings.countDecides !== true && !settings.lastSummary;
  const observations = chosenObservations(port, projects, {
    settings,
    known: new Set([...known, ...quoted]),
    onlyPinned,
  });
  const records = observations.map(({ observation }) => observation);
  const lastSummary = settings.lastSummary ? newestSummary(port, projects) : undefined;
  const newestProject = records[0]?.project ?? projects[0] ?? "";
  const contents = {
    projects,
    searchCommand,
    sections,
    observations,
    foldersOf: foldersOnce(port),
    changed: await changedFiles(port, records, cwd),
    lastSummary,
    isSummaryDoubted: lastSummary !== undefined && port.isDoubted(lastSummary),
    lastMessage: settings.lastMessage ? port.lastMessage(newestProject) : undefined,
  };
  return { view: viewOf(contents, settings), quoted };
}

const maxSectionTokens = 1_000;

// Many rows belong to one project.
function foldersOnce(port: ContextPort): (project: string) => ProjectFolders {
  const known = new Map<string, ProjectFolders>();
  return (project) => {
    const folders = known.get(project) ?? port.foldersOf?.(project) ?? { roots: [], names: [project] };
    known.set(project, folders);
    return folders;
  };
}

function newestSummary(port: ContextPort, projects: readonly string[]): SessionSummary | undefined {
  return projects
    .flatMap((project) => port.summaries.page({ offset: 0, limit: 1, project }).items)
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch)[0];
}

function isEmpty({ rows, sections, lastSummary, lastMessage }: ContextView): boolean {
  return rows.length === 0 && sections.length === 0 && lastSummary === null && lastMessage === null;
}

// Until a record fits, drops the last message, then the last summary, then the details of expanded records.
function fittingView(view: ContextView, budget: Budget): (Rendered & { view: ContextView }) | null {
  const withoutMessage = { ...view, lastMessage: null };
  const onlyRecords = { ...withoutMessage, lastSummary: null };
  const brief = () => ({ ...onlyRecords, rows: view.rows.map((row) => ({ ...row, expanded: null })) });
  for (const smaller of [() => view, () => withoutMessage, () => onlyRecords, brief]) {
    const tried = smaller();
    const rendered = rowsWithin(tried.rows.map(weightOf), budget, createMarkdown(tried));
    if (rendered !== null && (rendered.shown > 0 || tried.rows.length === 0 || tried.sections.length > 0))
      return isEmpty(tried) ? null : { ...rendered, view: tried };
  }
  return null;
}

// Characters of a row with what is put around them.
function weightOf({ title, marks, file, expanded }: ContextRow): number {
  const details = (expanded ?? []).reduce((sum, line) => sum + line.length + around.line, 0);
  return title.length + marks.length + (file?.length ?? 0) + details + around.row;
}

const around = { row: 40, line: 5 };
