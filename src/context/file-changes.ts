// Whether a file has become another one since its reader was told of it, and whether that was said already.
import type { Observation } from "../core/records/records.ts";
import type { ChangedFile, ContextPort } from "./context-port.ts";
import type { ChangedAgain } from "./file-context.ts";
import type { KnownFile, Told } from "./ledger.ts";
import { markedBy } from "./marks.ts";

/** What the reader knows of the file itself. */
export type ToldOfFile = Pick<Told, "changed" | "isFileKnown" | "contents">;

interface FileNow {
  path: string;
  cwd: string | null;
  told: ToldOfFile | undefined;
  /** As records may spell it. */
  paths: readonly string[];
  /** About to be told, with their marks. */
  observations: readonly Observation[];
  /** Told before. */
  heard: readonly Observation[];
  changed: ReadonlyMap<number, readonly ChangedFile[]>;
}

interface FileChanges {
  again: ChangedAgain | null;
  /** What is to be kept; undefined when it is kept already. */
  file?: KnownFile | undefined;
}

/** Each content of the file is said to be a new one once; one that a mark has told of already is not. */
export async function changesOfFile(port: ContextPort, now: FileNow): Promise<FileChanges> {
  const { path, cwd, told, observations, heard } = now;
  if (told === undefined) return { again: null };
  const unchanged = { again: null, file: told.isFileKnown ? undefined : { path, content: null } };
  const changedHeard = heard.flatMap((one) => changeOf(one, now));
  if (changedHeard.length === 0 && !observations.some((one) => changeOf(one, now).length > 0))
    return unchanged;
  const content = (await port.contentOf?.(path, cwd)) ?? null;
  if (content === null || told.contents.has(content)) return unchanged;
  const file = { path, content };
  const isFirst = told.contents.size === 0;
  const unsaid = changedHeard.filter(({ id }) => !(isFirst && told.changed.has(id)));
  const [first] = unsaid;
  if (first === undefined) return { again: null, file };
  return { again: { ids: unsaid.map(({ id }) => id), is: first.is }, file };
}

// Of a record that does not hold anyway, or is from outside, nothing is said.
function changeOf(
  observation: Observation,
  { path, paths, changed }: FileNow,
): { id: number; is: ChangedFile["is"] }[] {
  const marked = markedBy(observation, 1, changed.get(observation.id) ?? []);
  if (marked.superseded) return [];
  const change = marked.changed.find((file) => paths.includes(file.path) || path.endsWith(`/${file.path}`));
  return change === undefined ? [] : [{ id: observation.id, is: change.is }];
}
