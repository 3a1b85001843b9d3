// What an import would bring: counts by source and project, and the newest prompts. Nothing is sent.
import type { ImportedEvent } from "../core/records/imports.ts";
import { cleanPrompt } from "../privacy/clean.ts";
import type { Json, JsonObject } from "../text/json.ts";
import { numberField, textField } from "../text/json-fields.ts";
import { firstLine } from "../text/plain-text.ts";
import { type ImportFilter, selectedRecords } from "./filter.ts";
import { type Source, stepsOf, whyUnreadable } from "./source.ts";

interface ProjectPreview {
  project: string;
  sessions: number;
  prompts: number;
  toolUses: number;
  turns: number;
  /** Of other memories. */
  records: number;
  /** The first and the last event, epoch ms. */
  fromEpoch: number;
  untilEpoch: number;
  /** First lines of its newest prompts. */
  samples: string[];
}

interface FoundSources {
  kind: string;
  files: number;
  bytes: number;
  /** Of these: read by an import before. */
  imported: number;
}

export interface ImportPreview {
  sources: FoundSources[];
  lines: number;
  malformed: number;
  /** Why sources, or files of one, could not be read. */
  unreadable: string[];
  projects: ProjectPreview[];
}

/** For a bar, in the units of the sources. */
export interface PreviewProgress {
  total: number;
  done: number;
  failed: number;
}

interface PreviewOptions {
  filter: ImportFilter | null;
  labelsOf(directories: readonly string[]): Promise<string[]>;
  /** Where the import of the source continues. */
  positionOf(key: string): Promise<Json>;
  onProgress?(progress: PreviewProgress): void;
}

const mostSamples = 3;

type Seen = Omit<ProjectPreview, "project" | "sessions"> & { sessions: Set<string> };

/** Reads every source from where its last import ended. */
export async function previewSources(
  sources: readonly Source[],
  { filter, labelsOf, positionOf, onProgress = () => undefined }: PreviewOptions,
): Promise<ImportPreview> {
  const byDirectory = new Map<string, Seen>();
  const byLabel = new Map<string, Seen>();
  const found = sourcesByKind(sources);
  const preview: ImportPreview = { sources: found, lines: 0, malformed: 0, unreadable: [], projects: [] };
  const total = sources.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const source of sources) {
    try {
      const position = await positionOf(source.key);
      let [left, isNew] = [0, position === null];
      for await (const step of stepsOf(source, position)) {
        const { records = [], lines, malformed, unreadable = [] } = step;
        preview.lines += lines;
        preview.malformed += malformed;
        preview.unreadable.push(...unreadable);
        const events = step.events.slice(step.known ?? 0);
        // Not the end of a turn that is there.
        isNew ||= events.some(isWork) || records.some(({ type }) => type !== "session");
        for (const event of isNew ? await selected(events, filter) : []) see(byDirectory, event);
        for (const record of selectedRecords(records, filter)) seeRecord(byLabel, record);
        left += step.read;
        onProgress({ total, done: done + Math.min(left, source.size), failed: 0 });
      }
      const ofKind = found.find(({ kind }) => kind === source.kind);
      if (ofKind !== undefined && position !== null)
        ofKind.imported += isNew ? Math.max(0, source.size - left) : source.size;
    } catch (thrown) {
      preview.unreadable.push(whyUnreadable(thrown, sources.length));
    }
    done += source.size;
    onProgress({ total, done, failed: 0 });
  }
  const directories = [...byDirectory.keys()];
  const labels = await labelsOf(directories);
  for (const [index, directory] of directories.entries()) {
    const seen = byDirectory.get(directory);
    const label = labels[index] ?? directory;
    if (seen !== undefined) byLabel.set(label, join(byLabel.get(label), seen));
  }
  preview.projects = [...byLabel]
    .map(([project, { sessions, ...seen }]) => ({ project, sessions: sessions.size, ...seen }))
    .sort((a, b) => b.untilEpoch - a.untilEpoch);
  return preview;
}

function sourcesByKind(sources: readonly Source[]): FoundSources[] {
  return [...new Set(sources.map(({ kind }) => kind))].map((kind) => {
    const ofKind = sources.filter((source) => source.kind === kind);
    const bytes = ofKind.reduce((sum, each) => sum + each.size, 0);
    const files = ofKind.reduce((sum, each) => sum + (each.files ?? 1), 0);
    return { kind, files, bytes, imported: 0 };
  });
}

function isWork({ payload }: ImportedEvent): boolean {
  return payload.prompt !== undefined || payload.tool_name !== undefined;
}

async function selected(events: ImportedEvent[], filter: ImportFilter | null): Promise<ImportedEvent[]> {
  return filter === null ? events : filter.events(events);
}

function see(byDirectory: Map<string, Seen>, { event, at, payload }: ImportedEvent): void {
  const directory = String(payload.cwd ?? "/");
  const seen = byDirectory.get(directory) ?? nothing(at);
  seen.sessions.add(String(payload.session_id ?? ""));
  seen.fromEpoch = Math.min(seen.fromEpoch, at);
  seen.untilEpoch = Math.max(seen.untilEpoch, at);
  if (typeof payload.prompt === "string") {
    seen.prompts += 1;
    seen.samples = [shownPrompt(payload.prompt), ...seen.samples].slice(0, mostSamples);
  } else if (payload.tool_name !== undefined) seen.toolUses += 1;
  else if (event !== "SessionEnd") seen.turns += 1;
  byDirectory.set(directory, seen);
}

function seeRecord(byLabel: Map<string, Seen>, record: JsonObject): void {
  const label = textField(record, "project");
  const at = numberField(record, "created_at_epoch") ?? 0;
  const seen = byLabel.get(label) ?? nothing(at);
  const text = textField(record, "prompt_text", "title", "summary_text");
  if (record.type === "session") seen.sessions.add(textField(record, "claude_session_id"));
  else {
    seen.fromEpoch = Math.min(seen.fromEpoch, at);
    seen.untilEpoch = Math.max(seen.untilEpoch, at);
    if (record.type === "prompt") seen.prompts += 1;
    else seen.records += 1;
    seen.samples = [shownPrompt(text), ...seen.samples].slice(0, mostSamples);
  }
  byLabel.set(label, seen);
}

function nothing(at: number): Seen {
  return {
    sessions: new Set(),
    prompts: 0,
    toolUses: 0,
    turns: 0,
    records: 0,
    fromEpoch: at,
    untilEpoch: at,
    samples: [],
  };
}

function join(a: Seen | undefined, b: Seen): Seen {
  if (a === undefined) return b;
  return {
    sessions: new Set([...a.sessions, ...b.sessions]),
    prompts: a.prompts + b.prompts,
    toolUses: a.toolUses + b.toolUses,
    turns: a.turns + b.turns,
    records: a.records + b.records,
    fromEpoch: Math.min(a.fromEpoch, b.fromEpoch),
    untilEpoch: Math.max(a.untilEpoch, b.untilEpoch),
    samples: [...a.samples, ...b.samples].slice(0, mostSamples),
  };
}

const sampleChars = 200;

function shownPrompt(prompt: string): string {
  const { isPrivate, text } = cleanPrompt(prompt);
  return isPrivate ? "(private)" : firstLine(text).slice(0, sampleChars);
}
