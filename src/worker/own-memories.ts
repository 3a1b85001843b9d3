// Keeps what the hosts' agents write into their own memories as records, for the other hosts of the project. The file is the
// truth: a changed fact replaces its record, and a fact that is gone no longer stands. Nothing is ever written there.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { keptDraft } from "../capture/agent-records.ts";
import { cleanKey } from "../capture/clean-input.ts";
import type { Exclusions } from "../capture/exclusions.ts";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpen, failOpenSync } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { createdEvents } from "../core/records/manual-observation.ts";
import { type KeptKind, keptByAgent } from "../core/records/statement.ts";
import type { HostEvent } from "../hosts/host-event.ts";
import { type OwnMemory, ownMemoriesOf } from "../hosts/memory-files.ts";
import { cleanPrompt, cleanText } from "../privacy/clean.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Store } from "../store/sqlite/store.ts";
import { excerpt } from "../text/excerpt.ts";
import type { WorkerProjects } from "./projects.ts";

interface OwnMemoriesDeps {
  store: Store;
  clock: Clock;
  env: Environment;
  settings: LoadedSettings;
  projects: Pick<WorkerProjects, "placeOf" | "claim">;
  /** The folders of a host with a record. */
  recorded(host: string): readonly string[];
  exclusions: Pick<Exclusions, "isNamedIn">;
  publish(event: StreamEvent): void;
  onNewText(ids: readonly number[]): void;
}

export function buildOwnMemories(deps: OwnMemoriesDeps) {
  const { env: environment, recorded, projects } = deps;
  const isOn = deps.settings.get("MEM_HOST_MEMORY");
  const where = { environment, recorded, home: homedir() };
  const memoriesOf = (cwd: string) => ownMemoriesOf({ cwd, folder: projects.placeOf(cwd).folder }, where);
  const seen = new Map<string, string>();
  async function readOne(cwd: string, memory: OwnMemory): Promise<void> {
    const files = isOn ? filesOf(memory) : [];
    const name = `${memory.path} ${memory.about ?? ""}`;
    const version = JSON.stringify(files);
    if (seen.get(name) === version) return;
    const facts = files.flatMap((file) => factsIn(memory, file)).slice(0, mostFacts);
    const { made, changed } = await deps.store.commit(() => store(deps, { cwd, memory, facts }));
    for (const event of made.flatMap(createdEvents)) deps.publish(event);
    for (const observation of changed) deps.publish({ type: "observation_changed", observation });
    if (made.length > 0) deps.onNewText(made.map(({ id }) => id));
    seen.set(name, version);
  }
  async function read(cwd: string): Promise<void> {
    for (const memory of memoriesOf(cwd))
      await failOpen("reading an agent's own memory", () => readOne(cwd, memory));
  }
  return {
    /** Reads the memories that changed. Never throws. */
    read,
    /** `read`, if a file is of a memory, which is named by the folder where the session began. Never throws. */
    async readWritten({ sessionId, cwd }: HostEvent, files: readonly string[]): Promise<void> {
      const began = deps.store.sessions.byClaudeId(cleanKey(sessionId))?.cwd ?? cwd;
      const isKept = (file: string) => memoriesOf(began ?? "").some(({ path }) => isIn(path, file));
      if (began !== null && files.some(isKept)) await read(began);
    },
    /** `files_read` of the records of what the host itself loads. */
    marksOf: (host: string, cwd: string) =>
      memoriesOf(cwd)
        .filter((memory) => memory.host === host)
        .flatMap((memory) => failOpenSync("list an agent's own memory", () => filesOf(memory)) ?? [])
        .map(({ path }) => JSON.stringify([cleanText(path)])),
  };
}

function isIn(path: string, file: string): boolean {
  return file === path || file.startsWith(path + sep);
}

const mostFacts = 60;
const maxFactChars = 1_000;
const maxBytes = 512 * 1024;

interface MemoryFile {
  path: string;
  bytes: number;
  at_epoch: number;
}

// Throws when it cannot be read: then its records stay.
function filesOf({ path }: OwnMemory): MemoryFile[] {
  const isFolder = !path.endsWith(".md");
  const names = isFolder ? (unlessMissing(() => readdirSync(path)) ?? []) : [""];
  return names
    .filter((name) => !isFolder || (name.endsWith(".md") && name !== "MEMORY.md"))
    .toSorted()
    .flatMap((name) => {
      const file = join(path, name);
      const stats = unlessMissing(() => statSync(file));
      if (stats?.isFile() !== true || stats.size > maxBytes) return [];
      return { path: file, bytes: stats.size, at_epoch: Math.floor(stats.mtimeMs) };
    });
}

interface Fact {
  kind: KeptKind;
  text: string;
  file: MemoryFile;
}

/** One fact, or one in each list item; none where the form is not understood. */
function factsIn({ path, about }: OwnMemory, file: MemoryFile): Fact[] {
  const { text, isPrivate } = cleanPrompt(readFileSync(file.path, "utf8"));
  if (isPrivate) return [];
  const found =
    file.path === path
      ? itemsIn(text, about).map((item) => ({ kind: "fact" as const, text: item }))
      : factOfFile(text);
  return found
    .map((fact) => ({ ...fact, text: excerpt(fact.text.replace(/\s+/g, " ").trim(), maxFactChars), file }))
    .filter((fact) => fact.text !== "");
}

function factOfFile(text: string): Pick<Fact, "kind" | "text">[] {
  const [, head = "", body = ""] = /^\uFEFF?---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(text) ?? [];
  const field = (name: string) =>
    new RegExp(`^[ \\t]*${name}:[ \\t]*["']?(.*?)["']?[ \\t\\r]*$`, "m").exec(head)?.[1] ?? "";
  const kind = kindOfType.get(field("type"));
  return kind === undefined ? [] : [{ kind, text: body.trim() === "" ? field("description") : body }];
}

const kindOfType: ReadonlyMap<string, KeptKind> = new Map([
  ["user", "preference"],
  ["feedback", "rule"],
  ["project", "decision"],
  ["reference", "fact"],
]);

function itemsIn(text: string, about: string | null): string[] {
  const isAbout = (block: string): boolean => {
    const [head = ""] = block.split(/^## /m, 1);
    return about === null || head.split(about).some((rest, at) => at > 0 && !/^(?:[\w-]|\.\w)/.test(rest));
  };
  const blocks = text.split(/^(?=# )/m).filter(isAbout);
  const sections = blocks
    .flatMap((block) => block.split(/^(?=#)/m))
    .filter((one) => !isListOfNames.test(one));
  // Items that begin with a link are an index of other files.
  return sections.flatMap((one) =>
    [...one.matchAll(/^[ \t]*[-*+][ \t]+(?!\[)(.+)$/gm)].map(([, item = ""]) => item),
  );
}

// In the memory of Codex.
const isListOfNames = /^#+ (?:rollout_summary_files|keywords)\b/;

/** Runs in a transaction. */
function store(
  deps: OwnMemoriesDeps,
  { cwd, memory, facts }: { cwd: string; memory: OwnMemory; facts: readonly Fact[] },
) {
  const { memoryRecords, observations } = deps.store;
  const from = `memory:${memory.host}:${contentKey(memory.path, memory.about ?? "")}:`;
  const keyOf = ({ file, text }: Fact) => from + contentKey(file.path, text);
  const before = memoryRecords.withKeys({ from });
  const known = new Set(before.map(({ key }) => key));
  const present = new Set(facts.map(keyOf));
  const isNew = (fact: Fact): boolean =>
    !known.has(keyOf(fact)) &&
    !memoryRecords.isDeleted(keyOf(fact)) &&
    !deps.exclusions.isNamedIn([fact.file.path, fact.text], cwd);
  const fresh = facts.filter(isNew);
  const project = fresh.length === 0 ? "" : deps.projects.claim(cwd);
  const owner = { project, host: memory.host, now: deps.clock.now() };
  const made = fresh.flatMap(
    (fact) => observations.insert(recordOf(fact, { key: keyOf(fact), ...owner })) ?? [],
  );
  const changed = before.flatMap(({ id, key }) => (present.has(key) ? [] : (memoryRecords.end(id) ?? [])));
  return { made, changed };
}

function recordOf(
  { kind, text, file }: Fact,
  owner: { key: string; host: string; project: string; now: number },
) {
  const { key, host, project, now } = owner;
  const draft = keptDraft({ text, kind, isSure: true, quote: null });
  return {
    draft: {
      ...{ ...draft, files_read: [cleanText(file.path)], provenance: "agent" as const },
      statement: { ...draft.statement, said_by: "agent" as const },
    },
    ...{ sources: [], session_id: null, sdk_session_id: `memory:${host}`, prompt_number: null },
    ...{ project, generator: keptByAgent, agent_id: null, agent_type: host, discovery_tokens: 0 },
    ...{ generation_key: key, created_at_epoch: Math.min(file.at_epoch, now) },
  };
}
