// Keeps what the hosts' agents write into their own memories as records, for the other hosts of the project. The file is the
// truth: a changed fact replaces its record, and a fact that is gone no longer stands. Nothing is ever written there.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { cleanKey } from "../capture/clean-input.ts";
import type { Exclusions } from "../capture/exclusions.ts";
import { keptDraft } from "../capture/kept-record.ts";
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
  exclusions: Pick<Exclusions, "isNamedIn" | "hasPlace">;
  publish(event: StreamEvent): void;
  onNewText(ids: readonly number[]): void;
}

export function buildOwnMemories(deps: OwnMemoriesDeps) {
  const { env: environment, recorded, projects, store } = deps;
  const isOn = deps.settings.get("MEM_HOST_MEMORY");
  const memoriesOf = (cwd: string, folders = recorded) => {
    const where = { environment, recorded: folders, home: homedir() };
    return ownMemoriesOf({ cwd, ...projects.placeOf(cwd) }, where);
  };
  const seen = new Map<string, string>();
  async function readOne(cwd: string, memory: OwnMemory): Promise<void> {
    const files = isOn ? filesOf(memory) : [];
    const name = `${memory.path} ${memory.about ?? ""}`;
    const version = JSON.stringify(files);
    if (seen.get(name) === version) return;
    const facts = files.flatMap((file) => factsIn(memory, file)).slice(0, mostFacts);
    const { made, ended } = await store.commit(() => keep(deps, { cwd, memory, facts }));
    for (const event of made.flatMap(createdEvents)) deps.publish(event);
    for (const observation of ended) deps.publish({ type: "observation_changed", observation });
    if (made.length > 0) deps.onNewText(made.map(({ id }) => id));
    seen.set(name, version);
  }
  async function read(cwd: string, also: { host?: string; folder?: string | undefined } = {}): Promise<void> {
    if (deps.exclusions.hasPlace({ cwd })) return;
    const { host, folder } = also;
    const there = folder === undefined ? [] : memoriesOf(cwd, () => [folder]);
    for (const memory of [...memoriesOf(cwd), ...there.filter((one) => one.host === host)])
      await failOpen("reading an agent's own memory", () => readOne(cwd, memory));
  }
  return {
    /** Reads the memories that changed, with those in another folder of settings. Never throws. */
    read,
    /** `read`, if a file is of a memory, which is named by the folder where the session began. Never throws. */
    async readWritten({ sessionId, cwd }: HostEvent, files: readonly string[]): Promise<void> {
      const began = store.sessions.byClaudeId(cleanKey(sessionId))?.cwd ?? cwd;
      if (began === null || files.length === 0) return;
      const isKept = ({ path }: OwnMemory) =>
        files.some((file) => file === path || file.startsWith(path + sep));
      if (memoriesOf(began).some(isKept)) await read(began);
    },
    /** `files_read` of the records of what the host itself loads. */
    marksOf(host: string, cwd: string): string[] {
      const own = memoriesOf(cwd).filter((memory) => memory.host === host);
      const files = own.flatMap(
        (memory) => failOpenSync("list an agent's own memory", () => filesOf(memory)) ?? [],
      );
      return files.map(({ path }) => JSON.stringify([cleanText(path)]));
    },
  };
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
function filesOf({ path, untyped = false }: OwnMemory): MemoryFile[] {
  const isFile = path.endsWith(".md");
  const list = () => readdirSync(path, { recursive: !untyped, encoding: "utf8" });
  const names = isFile ? [] : (unlessMissing(list) ?? []);
  const facts = names.filter((name) => name.endsWith(".md") && basename(name) !== "MEMORY.md").toSorted();
  const paths = isFile ? [path] : facts.map((name) => join(path, name));
  return paths.flatMap((one) => {
    const stats = unlessMissing(() => statSync(one));
    if (stats?.isFile() !== true || stats.size > maxBytes) return [];
    return { path: one, bytes: stats.size, at_epoch: Math.floor(stats.mtimeMs) };
  });
}

interface Fact {
  kind: KeptKind;
  text: string;
  file: MemoryFile;
}

/** One fact, or one in each list item; none where the form is not understood. */
function factsIn({ path, about, untyped }: OwnMemory, file: MemoryFile): Fact[] {
  const { text: whole, isPrivate } = cleanPrompt(readFileSync(file.path, "utf8"));
  if (isPrivate) return [];
  const found = file.path === path ? itemsIn(whole, about) : factOfFile(whole, untyped);
  return found.flatMap(([kind, given]) => {
    const text = excerpt(given.replace(/\s+/g, " ").trim(), maxFactChars);
    return text === "" ? [] : { kind, text, file };
  });
}

type KindAndText = readonly [KeptKind, string];

function factOfFile(whole: string, untyped = false): KindAndText[] {
  if (untyped) return [["fact", whole.replace(/^#+[ \t]+/gm, "")]];
  const [, head = "", body = ""] = /^\uFEFF?---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(whole) ?? [];
  const type = /^[ \t]*type:[ \t]*["']?(\w+)/m.exec(head)?.[1] ?? "";
  const kind = kindOfType.get(type);
  return kind === undefined ? [] : [[kind, body]];
}

const kindOfType = new Map<string, KeptKind>([
  ["user", "preference"],
  ["feedback", "rule"],
  ["project", "decision"],
  ["reference", "fact"],
]);

function itemsIn(whole: string, about: string | undefined): KindAndText[] {
  const isAbout = (block: string): boolean => {
    const [head = ""] = block.split(/^## /m, 1);
    return !about || head.split(about).some((rest, at) => at > 0 && !/^(?:[\w-]|\.\w)/.test(rest));
  };
  const blocks = whole.split(/^(?=# )/m).filter(isAbout);
  const sections = blocks
    .flatMap((block) => block.split(/^(?=#)/m))
    .filter((one) => !isListOfNames.test(one));
  // Without the index of other files, and the questions of a form that have no answer yet.
  const items = sections.flatMap((one) => [...one.matchAll(/^[ \t]*[-*+][ \t]+(?!\[|See \S+\.md\b)(.+)$/gm)]);
  return items.flatMap(([, item = ""]) => (/:\**\s*(?:_\(.*\)_)?\s*$/.test(item) ? [] : [["fact", item]]));
}

// In the memory of Codex.
const isListOfNames = /^#+ (?:rollout_summary_files|keywords)\b/;

/** Runs in a transaction. */
function keep(
  { store, projects, exclusions, clock }: OwnMemoriesDeps,
  { cwd, memory, facts }: { cwd: string; memory: OwnMemory; facts: readonly Fact[] },
) {
  const { memoryRecords, observations } = store;
  const from = `memory:${memory.host}:${contentKey(memory.path, memory.about ?? "")}:`;
  const byKey = new Map(facts.map((fact) => [from + contentKey(fact.file.path, fact.text), fact]));
  const before = new Map(memoryRecords.withKeys({ from }).map(({ key, id }) => [key, id]));
  const fresh = [...byKey].filter(
    ([key, { file, text }]) =>
      !before.has(key) && !memoryRecords.isDeleted(key) && !exclusions.isNamedIn([file.path, text], cwd),
  );
  const project = fresh.length === 0 ? "" : projects.claim(cwd);
  const made = fresh.flatMap(([generation_key, { kind, text, file }]) => {
    const draft = keptDraft({ text, kind, isSure: true, quote: null });
    const stored = observations.insert({
      draft: {
        ...{ ...draft, files_read: [cleanText(file.path)], provenance: "agent" },
        statement: { ...draft.statement, said_by: "agent" },
      },
      ...{ sources: [], session_id: null, sdk_session_id: `memory:${memory.host}`, prompt_number: null },
      ...{ project, generator: keptByAgent, agent_id: null, agent_type: memory.host, discovery_tokens: 0 },
      ...{ generation_key, created_at_epoch: Math.min(file.at_epoch, clock.now()) },
    });
    return stored ?? [];
  });
  const gone = [...before].filter(([key]) => !byKey.has(key));
  return { made, ended: gone.flatMap(([, id]) => memoryRecords.end(id) ?? []) };
}
