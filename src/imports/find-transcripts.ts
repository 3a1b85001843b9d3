// Finds the transcripts that host agents keep on this machine.
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { unlessMissing } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import type { HostAt } from "../hosts/host-places.ts";
import { createClaudeCodeReader } from "./claude-code.ts";
import { createCodexReader } from "./codex.ts";
import { type FoundFile, filesBelow } from "./files-below.ts";
import { createGeminiReader } from "./gemini.ts";
import { rewoundInClaudeCode, rewoundInCodex, rewoundInGemini } from "./rewound.ts";
import { type Source, unreadable, unreadableSource } from "./source.ts";
import { readTranscript, type TranscriptFile } from "./transcript.ts";

interface TranscriptKind extends Omit<TranscriptFile, "path"> {
  host: string;
  /** Folders of the transcripts in the host's folder. */
  folders: readonly string[];
  isTranscript(path: string): boolean;
}

/** By the name of the command's source. */
export const transcriptKinds: Readonly<Record<string, TranscriptKind>> = {
  "claude-code": {
    host: "claude-code",
    folders: ["projects"],
    isTranscript: (path) => path.endsWith(".jsonl"),
    isPart: (path) => path.includes(`${sep}subagents${sep}`) || basename(path).startsWith("agent-"),
    createReader: createClaudeCodeReader,
    rewoundIn: rewoundInClaudeCode,
  },
  codex: {
    host: "codex",
    folders: ["sessions", "archived_sessions"],
    isTranscript: (path) => /^rollout-.*\.jsonl(\.zst)?$/.test(basename(path)),
    createReader: createCodexReader,
    rewoundIn: rewoundInCodex,
  },
  gemini: {
    host: "gemini-cli",
    folders: ["tmp"],
    isTranscript: (path) => /^session-.*\.jsonl?$/.test(basename(path)),
    createReader: createGeminiReader,
    rewoundIn: rewoundInGemini,
  },
};

/** True if the host has a folder of transcripts that are read. */
export function hasTranscripts({ agent, place }: HostAt): boolean {
  const kind = Object.values(transcriptKinds).find(({ host }) => host === agent.host.name);
  return kind?.folders.some((folder) => existsSync(join(place.folder, folder))) === true;
}

interface FindOptions {
  now: number;
  /** Newest sessions; null for all. */
  limit: number | null;
  mayBeAbsent?: boolean;
}

/** Transcripts of a kind at files or folders; the sessions that were changed longest ago first. */
export function transcriptsAt(
  kindName: string,
  places: string | readonly string[],
  { now, limit, mayBeAbsent = false }: FindOptions,
): Source[] {
  const kind = transcriptKinds[kindName];
  if (kind === undefined) throw new TypeError(`no transcripts of ${kindName}`);
  const found = [places]
    .flat()
    .filter((path) => !mayBeAbsent || existsSync(path))
    .map((path) => filesAt(path, kind));
  const failed = found.flatMap((each) => each.failed);
  const byAge = found
    .flatMap(({ files }) => files)
    .toSorted((a, b) => a.changedAt - b.changedAt || (a.path < b.path ? -1 : 1));
  const isPart = ({ path }: FoundFile) => kind.isPart?.(path) === true;
  const whole = byAge.filter((file) => !isPart(file));
  const kept = limit === null ? whole : whole.slice(-limit);
  const parts = byAge.filter(
    (file) => isPart(file) && (limit === null || kept.some((one) => belongsTo(file, one))),
  );
  // What a sub-agent did belongs to prompts of its session.
  return [
    ...[...kept, ...parts].map((file) => sourceOf(kindName, kind, file, now)),
    ...failed.map((each) => {
      const thrown = unreadable({ kind: kindName, name: each.path }, each.thrown);
      return unreadableSource({ kind: kindName, name: each.path }, thrown);
    }),
  ];
}

function belongsTo(part: FoundFile, whole: FoundFile): boolean {
  return dirname(part.path).startsWith(whole.path.replace(/\.\w+$/, ""));
}

function sourceOf(kindName: string, kind: TranscriptKind, { path, bytes }: FoundFile, now: number): Source {
  const at = Math.max(...kind.folders.map((folder) => path.lastIndexOf(`${sep}${folder}${sep}`)));
  return {
    kind: kindName,
    name: path,
    key: contentKey(kindName, realpathSync(path)),
    host: kind.host,
    ...(at > 0 && { folder: path.slice(0, at) }),
    size: bytes,
    steps: (position) => readTranscript({ ...kind, path }, { position, now }),
  };
}

function filesAt(path: string, { isTranscript }: TranscriptKind): ReturnType<typeof filesBelow> {
  const stats = unlessMissing(() => statSync(path));
  if (stats === undefined) throw noSuchPath(path);
  if (stats.isFile()) {
    const isWanted = isTranscript(path) && stats.size > 0;
    return { files: isWanted ? [{ path, bytes: stats.size, changedAt: stats.mtimeMs }] : [], failed: [] };
  }
  if (!stats.isDirectory()) return { files: [], failed: [] };
  const { files, failed } = filesBelow(path, { file: isTranscript, folder: () => true });
  return { files: files.filter(({ bytes }) => bytes > 0), failed };
}

function noSuchPath(path: string): MemError {
  return new MemError("not_found", {
    message: `Nothing is at ${path}.`,
    hint: "Give the folder or file to import, or leave it out: mem then looks in the usual places.",
  });
}
