// The timeline of one or more projects as a text that fits its budget.
import type { RecordName } from "../core/records/record-name.ts";
import type { SessionSummary } from "../core/records/records.ts";
import { type Budget, type Rendered, rowsWithin } from "./budget.ts";
import { changedFiles, chosenObservations } from "./choose.ts";
import type { ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { passedOn } from "./passed-on.ts";
import { createMarkdown, frameOf } from "./render-markdown.ts";
import { renderEmptyTerminal, renderTerminal } from "./render-terminal.ts";
import type { RuleReader } from "./rule-lines.ts";
import type { ProjectFolders } from "./short-path.ts";
import { textTokens } from "./tokens.ts";
import { type ContextRow, type ContextView, headings, viewOf } from "./view.ts";

export interface TimelineRequest {
  projects: readonly string[];
  colors: boolean;
  budget: Budget;
  /** Where the work tree is, if that is known. */
  cwd: string | null;
  /** Records that the reader has already. */
  known: ReadonlySet<number>;
}

/** A text for an agent's context, the records that stand in it, and which of them as being of files that changed. */
export interface Injection {
  text: string;
  records: number[];
  changed?: readonly number[];
  /** Where each record stands in the text of a start. */
  places?: readonly PlacedRecord[];
}

export interface PlacedRecord {
  record: RecordName;
  /** Heading of the section. */
  section: string;
}

export interface TimelineDeps {
  port: ContextPort;
  settings: ContextSettings;
  searchCommand: string;
  readRules?: RuleReader;
}

/** The timeline; empty when there is nothing to tell, or what there is does not fit. In colours it has the same rows. */
export async function timelineOf(deps: TimelineDeps, request: TimelineRequest): Promise<Injection> {
  const { view, quoted, fitting } = await fittingTimeline(deps, request);
  if (fitting === null) {
    return { text: request.colors ? renderEmptyTerminal(view.projects) : "", records: [] };
  }
  const { text, shown } = fitting;
  const rows = fitting.view.rows.slice(0, shown);
  // A title in a table is not the record: it may still come in full with a prompt or a file.
  const told = view.sections.length > 0 ? rows.filter((row) => row.expanded !== null) : rows;
  return {
    text: request.colors ? renderTerminal(fitting.view, shown) : text,
    records: [...quoted, ...told.flatMap((row) => row.ids)],
    changed: rows.filter(({ isChanged }) => isChanged).map(({ id }) => id),
    places: placesIn(fitting.view, rows),
  };
}

// Rows that do not fit add a line about the remainder, which then takes its place from the quotes.
async function fittingTimeline(deps: TimelineDeps, request: TimelineRequest): Promise<FittingTimeline> {
  const spared = [0, remainderTokens];
  for (;;) {
    const { view, quoted } = await viewFor(deps, request, spared.shift() ?? 0);
    const fitting = isEmpty(view) ? null : fittingView(view, request.budget);
    if (fitting !== null || view.sections.length === 0 || spared.length === 0)
      return { view, quoted, fitting };
  }
}

interface FittingTimeline {
  view: ContextView;
  quoted: readonly number[];
  /** Null when nothing of it fits. */
  fitting: (Rendered & { view: ContextView }) | null;
}

function placesIn({ sections, lastSummary }: ContextView, rows: readonly ContextRow[]): PlacedRecord[] {
  return [
    ...sections.flatMap(({ heading, records }) => records.map((record) => ({ record, section: heading }))),
    ...(lastSummary === null
      ? []
      : [{ record: { kind: "session" as const, id: lastSummary.id }, section: headings.lastSession }]),
    ...rows.map(({ id, expanded }) => ({
      record: { kind: "observation" as const, id },
      section: expanded === null ? headings.brief : headings.full,
    })),
  ];
}

async function viewFor(
  { port, settings, searchCommand, readRules }: TimelineDeps,
  { projects, cwd, known, budget }: TimelineRequest,
  spared: number,
): Promise<{ view: ContextView; quoted: readonly number[] }> {
  // A text that may be of any length, as one asked for over HTTP, has the same quotes as a host gets.
  const most = Math.min(budget.tokens, mostQuoteTokens) - spared;
  const tokens = most - textTokens(frameOf({ projects, searchCommand }));
  const quotes = passedOn(
    { statements: port.statements, ...(readRules && { readRules }) },
    { projects, known, tokens },
  );
  const shown = new Set([...known, ...quotes.records]);
  // Beside quotes no other record is listed, unless the user set a count; the last summary marks titles of any.
  const onlyPinned =
    quotes.sections.length > 0 && settings.countDecides !== true && settings.lastSummary === false;
  const observations = chosenObservations(port, projects, { settings, known: shown, onlyPinned });
  const records = observations.map(({ observation }) => observation);
  const summary = settings.lastSummary ? lastSummary(port, projects) : undefined;
  const newest = records[0]?.project ?? projects[0] ?? "";
  const chosen = {
    projects,
    searchCommand,
    sections: quotes.sections,
    observations,
    foldersOf: foldersOnce(port),
    changed: await changedFiles(port, records, cwd),
    lastSummary: summary,
    isSummaryDoubted: summary !== undefined && port.isDoubted(summary),
    lastMessage: settings.lastMessage ? port.lastMessage(newest) : undefined,
  };
  return { view: viewOf(chosen, settings), quoted: quotes.records };
}

const mostQuoteTokens = 1_000;
const remainderTokens = 60;

// Many rows are of one project.
function foldersOnce(port: ContextPort): (project: string) => ProjectFolders {
  const known = new Map<string, ProjectFolders>();
  return (project) => {
    const folders = known.get(project) ?? port.foldersOf?.(project) ?? { roots: [], names: [project] };
    known.set(project, folders);
    return folders;
  };
}

function isEmpty({ rows, sections, lastSummary, lastMessage }: ContextView): boolean {
  return rows.length === 0 && sections.length === 0 && lastSummary === null && lastMessage === null;
}

// What is about the session as a whole gives way before the text would name no record, then what is told in full.
function fittingView(view: ContextView, budget: Budget): (Rendered & { view: ContextView }) | null {
  const [silent, alone] = [{ lastMessage: null }, { lastMessage: null, lastSummary: null }];
  const brief = () => ({ ...alone, rows: view.rows.map((row) => ({ ...row, expanded: null })) });
  for (const less of [() => ({}), () => silent, () => alone, brief]) {
    const tried = { ...view, ...less() };
    const rendered = rowsWithin(tried.rows.map(weightOf), budget, createMarkdown(tried));
    if (rendered !== null && (rendered.shown > 0 || tried.rows.length === 0 || tried.sections.length > 0))
      return isEmpty(tried) ? null : { ...rendered, view: tried };
  }
  return null;
}

// Characters, with what is put around them.
function weightOf({ title, marks, file, expanded }: ContextRow): number {
  const told = (expanded ?? []).reduce((sum, line) => sum + line.length + around.line, 0);
  return title.length + marks.length + (file?.length ?? 0) + told + around.row;
}

const around = { row: 40, line: 5 };

function lastSummary(port: ContextPort, projects: readonly string[]): SessionSummary | undefined {
  return projects
    .flatMap((project) => port.summaries.page({ offset: 0, limit: 1, project }).items)
    .sort((a, b) => b.created_at_epoch - a.created_at_epoch)[0];
}
