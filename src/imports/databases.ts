// Databases of other memories: claude-mem and engram. Each table is read in the order of its ids.
import { statSync } from "node:fs";
import { basename } from "node:path";
import { contentKey } from "../core/ids.ts";
import { observationTypes, parseList } from "../core/records/records.ts";
import { type ClaudeMem, openClaudeMem } from "../store/foreign/claude-mem.ts";
import { type Engram, openEngram } from "../store/foreign/engram.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { type NoteSession, observationLine, promptLine, sessionLine, summaryLine } from "./notes.ts";
import { recordStep, type Source, type SourceStep } from "./source.ts";

/** How far the tables were read, by kind. */
type Last = Record<string, number>;

/** An open database, as the lines of its rows. */
interface Reader {
  last: Last;
  /** At most `limit` rows behind the id. */
  kinds: Record<
    string,
    (after: number, limit: number) => { id: number; of: NoteSession; line: JsonObject }[]
  >;
  close(): void;
}

const openers = { "claude-mem": claudeMem, engram } satisfies Record<string, (path: string) => Reader>;

export type DatabaseKind = keyof typeof openers;

/** The source of a database file. Opening it can throw `import_unreadable`, when it is read. */
export function databaseSource(kind: DatabaseKind, path: string): Source {
  return {
    kind,
    name: path,
    key: contentKey(kind, path),
    host: kind,
    size: statSync(path).size,
    steps: (position) => rowsOf(openers[kind](path), position, statSync(path).size),
  };
}

const stepRows = 100;

async function* rowsOf(reader: Reader, position: Json, size: number): AsyncGenerator<SourceStep> {
  try {
    const total = Object.values(reader.last).reduce((sum, last) => sum + last, 0);
    const done: Last = {};
    for (const [kind, last] of Object.entries(reader.last)) {
      const before = isJsonObject(position) ? position[kind] : undefined;
      // Lower numbers than before: it is another database.
      done[kind] = typeof before === "number" && before <= last ? before : 0;
    }
    for (const [kind, read] of Object.entries(reader.kinds)) {
      for (;;) {
        const after = done[kind] ?? 0;
        const rows = read(after, stepRows);
        const last = rows.at(-1)?.id;
        if (last === undefined) break;
        done[kind] = last;
        const part = total === 0 ? 0 : Math.round((size * (last - after)) / total);
        yield recordStep(
          rows.flatMap(({ of, line }) => [sessionLine(of), line]),
          { read: part, lines: rows.length, position: { ...done } },
        );
      }
    }
  } finally {
    reader.close();
  }
}

function claudeMem(path: string): Reader {
  const db: ClaudeMem = openClaudeMem(path);
  const sessions = new Map<string, NoteSession>();
  for (const one of db.sessions()) {
    const session: NoteSession = {
      id: one.content ?? `claude-mem:${one.memory}`,
      project: one.project || "unknown",
      host: hostOf(one.host),
      cwd: null,
      title: one.title,
      startedAt: millis(one.started),
      endedAt: millis(one.ended ?? one.started),
    };
    sessions.set(one.memory, session);
    if (one.content !== null) sessions.set(one.content, session);
  }
  // Some rows are of sessions that are gone.
  const gone = { host: "claude-mem", cwd: null, title: null };
  const of = (id: string | null, project: string | null, at: number): NoteSession =>
    sessions.get(id ?? "") ?? {
      ...{ ...gone, id: `claude-mem:${id ?? "none"}`, project: project || "unknown" },
      ...{ startedAt: at, endedAt: at },
    };
  return {
    last: db.last(),
    close: db.close,
    kinds: {
      prompt: (after, limit) =>
        db.prompts(after, limit).map(({ id, session, project, number, text, at }) => {
          const owner = of(session, project, millis(at));
          const key = `claude-mem:${session}:${number}`;
          return { id, of: owner, line: promptLine(owner, { key, number, text, at: millis(at) }) };
        }),
      observation: (after, limit) =>
        db.observations(after, limit).map((row) => {
          const owner = of(row.session, row.project, millis(row.at));
          const [facts = [], concepts = [], filesRead = [], filesModified = []] = [
            ...[row.facts, row.concepts, row.files_read, row.files_modified],
          ].map((list) => parseList(list ?? "[]"));
          const line = observationLine(owner, {
            ...{
              at: millis(row.at),
              type: typeOf(row.type),
              subtitle: row.subtitle,
              generator: "claude-mem",
            },
            ...{ facts, concepts, filesRead, filesModified },
            key: `claude-mem:${row.session}:${row.at}:${row.title ?? ""}`,
            title: row.title || row.subtitle || row.type,
            text: row.narrative || row.text || facts.join("\n"),
          });
          return { id: row.id, of: owner, line };
        }),
      summary: (after, limit) =>
        db.summaries(after, limit).map(({ id, session, project, at, ...parts }) => {
          const owner = of(session, project, millis(at));
          const key = `claude-mem:summary:${session}:${at}`;
          const line = summaryLine(owner, { ...parts, key, at: millis(at), generator: "claude-mem" });
          return { id, of: owner, line };
        }),
    },
  };
}

// claude-mem shortens the names of hosts.
function hostOf(platform: string | null): string {
  if (platform === null || platform === "" || platform === "claude") return "claude-code";
  return platform === "gemini" ? "gemini-cli" : platform;
}

function engram(path: string): Reader {
  const db: Engram = openEngram(path);
  const sessions = new Map<string, NoteSession>(
    db.sessions().map(({ id, project, directory, started, ended }) => [
      id,
      {
        id: `engram:${id}`,
        project: project || basename(directory) || "unknown",
        host: "engram",
        cwd: directory || null,
        title: null,
        startedAt: utc(started),
        endedAt: utc(ended ?? started),
      },
    ]),
  );
  const of = (id: string, project: string | null, at: number): NoteSession => {
    const own = { id: `engram:${id}`, host: "engram", cwd: null, title: null, startedAt: at, endedAt: at };
    const known = sessions.get(id) ?? { ...own, project: "unknown" };
    // An observation can belong to another project than its session.
    return project === null || project === "" || project === known.project
      ? known
      : { ...own, id: `engram:${id}:${project}`, project };
  };
  const numbers = new Map<string, number>();
  return {
    last: db.last(),
    close: db.close,
    kinds: {
      prompt: (after, limit) =>
        db.prompts(after, limit).map(({ id, session, content: text, at }) => {
          const owner = of(session, null, utc(at));
          const number = (numbers.get(session) ?? 0) + 1;
          numbers.set(session, number);
          return {
            id,
            of: owner,
            line: promptLine(owner, { key: `engram:${id}`, number, text, at: utc(at) }),
          };
        }),
      observation: (after, limit) =>
        db
          .observations(after, limit)
          .map(({ id, session, type, title, content: text, project, at, sync }) => {
            const owner = of(session, project, utc(at));
            const key = `engram:${sync || `${session}:${at}:${title}`}`;
            const note = { key, at: utc(at), type: typeOf(type), title, text, generator: "engram" };
            return { id, of: owner, line: observationLine(owner, note) };
          }),
    },
  };
}

const types: ReadonlySet<string> = new Set(observationTypes);

function typeOf(type: string): string {
  const name = type.toLowerCase();
  if (types.has(name)) return name;
  if (/fix|bug/.test(name)) return "bugfix";
  return /decision|architecture|preference|policy/.test(name) ? "decision" : "discovery";
}

function millis(epoch: number): number {
  return Math.trunc(epoch < 100_000_000_000 ? epoch * 1_000 : epoch);
}

// `2026-01-31 12:00:00`, without a zone.
function utc(text: string): number {
  const at = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`);
  return Number.isFinite(at) ? at : 0;
}
