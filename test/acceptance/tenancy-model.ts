// What every request of the matrix must be answered: the oracle, which knows who asks, what for, and nothing of the code.
import { newId } from "../../src/core/ids.ts";
import { type Home, type KeyKind, type Noun, rightsOf, type World } from "./tenancy-world.ts";

/** `absent` is the left out id of a project; `nothing` stands where a request has no id. */
export type IdKind =
  | "own"
  | "sibling project"
  | "other team"
  | "deleted"
  | "never existed"
  | "malformed"
  | "absent"
  | "nothing";

export const idKinds: readonly IdKind[] = [
  "own",
  "sibling project",
  "other team",
  "deleted",
  "never existed",
  "malformed",
];

/** Where in a request an id travels. */
export interface Slot {
  at: "path" | "query" | "body" | "tool";
  name: string;
  noun: Noun;
  /** The thing must be of the project that the request is for, even for a key of the team. */
  ofProject?: true;
  /** Answer to an id that is out of reach; 404 unless it says else. */
  out?: number;
  /** Answer to what is no id at all, where it is another one. */
  malformed?: number;
  /** May be left out: the answer to a key of the team then. */
  absent?: number;
  /** Only a team's key looks for it in all projects. */
  teamKeys?: true;
  /** Parameters that do not go together with it. */
  without?: readonly string[];
  /** Sent twice under an Idempotency-Key that others use, too. */
  withKey?: true;
  /** The value as it is sent; the text itself unless it says else. */
  write?(id: string): unknown;
}

/** What a key reaches, counted. */
export interface Counts {
  observations: number;
  summaries?: number;
  sessions?: number;
  prompts?: number;
}

export interface Row {
  /** `hub` takes a hub token: an API key is refused like a wrong one. */
  access: "none" | "hub" | "read" | "write";
  /** Answer when all is well; 200 unless it says else. */
  ok?: number;
  /** Needs a key of the whole team. */
  teamOnly?: true;
  /** Needs the right to read, too. */
  readsToo?: "or 403" | "or 404";
  /** What it was asked for is not there afterwards, or not like that. */
  changes?: true;
  /** When all is well there are rows afterwards that were not there, or not like that. */
  stores?: true;
  /** How many records of each kind it says there are. */
  counts?(body: string): Counts;
  query?(): Record<string, unknown>;
  body?(): Record<string, unknown>;
  slots?: readonly Slot[];
  /** The status of an answer that carries it in the body. */
  told?(status: number, body: string): number;
}

export interface Case {
  name: string;
  row: Row;
  slot: Slot | undefined;
  idKind: IdKind;
  home: Home;
  key: KeyKind;
}

/** The status of the answer. */
export function expected({ row, slot, idKind, key }: Case): number {
  const ok = row.ok ?? 200;
  if (row.access === "none") return ok;
  const rights = rightsOf(key);
  if (rights.length === 0 || row.access === "hub") return 401;
  if (!rights.includes(`memories:${row.access}`)) return 403;
  const ofProject = key.startsWith("project");
  if (row.teamOnly && ofProject) return 403;
  if (row.readsToo === "or 403" && !rights.includes("memories:read")) return 403;
  if (slot === undefined) return ok;
  if (idKind === "malformed" && slot.malformed !== undefined) return slot.malformed;
  if (idKind === "absent") return ofProject ? ok : (slot.absent ?? ok);
  if (row.readsToo === "or 404" && !rights.includes("memories:read")) return 404;
  return isReached({ slot, idKind, key }) ? ok : (slot.out ?? 404);
}

/** Whether the id is of a thing that the key reaches and the request is for. */
export function isReached({ slot, idKind, key }: Pick<Case, "slot" | "idKind" | "key">): boolean {
  if (idKind === "own" || idKind === "absent" || idKind === "nothing") return true;
  return idKind === "sibling project" && key.startsWith("team") && slot?.ofProject !== true;
}

/** Whether what is of a home may be seen in the answer. */
export function mayShow({ row, slot, idKind, home, key }: Case, world: World, shown: Home): boolean {
  if (row.access === "none" || rightsOf(key).length === 0 || shown.team !== home.team) return false;
  if (key.startsWith("project")) return shown === home;
  if (slot === undefined || idKind === "absent") return true;
  return shown === targetOf(home, idKind, world);
}

/** The home that the id is from. */
export function targetOf(home: Home, idKind: IdKind, world: World): Home {
  if (idKind === "sibling project") return world.home(home.team, home.project + 1);
  return idKind === "other team" ? world.home(home.team + 1, home.project) : home;
}

/** The id itself. */
export function idOf(home: Home, { noun }: Slot, idKind: IdKind, world: World): string {
  const isNumber = noun.endsWith("Number");
  if (idKind === "deleted") return home.gone[noun];
  if (idKind === "never existed") return isNumber ? "8000000000000001" : newId();
  if (idKind === "malformed") return isNumber ? "1x" : "no id; '--";
  return targetOf(home, idKind, world).ids[noun];
}
