// What an answer of the matrix gives away: that it differs from the first of its kind, or a record that is another's.
import { type Case, idOf, isReached, mayShow } from "./tenancy-model.ts";
import type { World } from "./tenancy-world.ts";

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** A case that was asked: with which id, and what came back. */
export interface Answered {
  asked: Case;
  sentId: string | undefined;
  answer: Answer;
}

interface Watcher {
  world: World;
  /** Hears of a fault as soon as it is seen. */
  onFault(fault: string): void;
}

/** Reads as the case does in a report. */
export function titleOf({ name, slot, idKind, home, key }: Case): string {
  const where = slot === undefined ? "" : `, ${slot.noun} in ${slot.at} ${slot.name}`;
  return `${name}${where}: ${idKind}, by ${key} of ${home.canary}`;
}

export interface Comparison {
  compare(answered: Answered, status: number): void;
  /** Answers that were held against the first of their kind. */
  compared(): number;
}

/** What cannot be had is answered alike, whyever; so is every key that does not hold, on every route. */
export function createComparison({ world, onFault }: Watcher): Comparison {
  const refusals = new Map<string, string>();
  let compared = 0;
  return {
    compare(answered, status) {
      const { asked } = answered;
      const kind = kindOf(asked, status);
      if (kind === undefined) return;
      const first = refusals.get(kind);
      const shown = maskedOf(answered, world);
      compared += 1;
      if (first === undefined) refusals.set(kind, shown);
      else if (first !== shown) onFault(`${titleOf(asked)} is told apart:\n  ${first}\n  ${shown}`);
    },
    compared: () => compared,
  };
}

/** Which answers must be alike; undefined for one that stands for itself. */
function kindOf(asked: Case, status: number): string | undefined {
  const { name, slot, idKind, row, key } = asked;
  const isKeys = status === 401 || (status === 403 && row.teamOnly !== true && row.readsToo === undefined);
  if (idKind === "absent" || (!isKeys && isReached(asked))) return undefined;
  if (!isKeys && idKind === "malformed" && slot?.malformed !== undefined) return undefined;
  // A refusal names the right that the route needs, or the hub token.
  const right = status === 403 || row.access === "hub" ? row.access : "";
  if (isKeys) return `${name.startsWith("tool ") ? "tool" : ""} ${status} ${right}`;
  const place = slot === undefined ? "" : `${slot.at} ${slot.name} ${slot.noun} ${row.slots?.indexOf(slot)}`;
  // A tool that writes needs both rights: the refusal names the one that is missing.
  return `${name} ${place} ${status} ${status === 403 ? key.split(" ")[1] : ""}`;
}

function maskedOf(answered: Answered, world: World): string {
  const { status, headers } = answered.answer;
  const { "x-request-id": _, date: _date, "content-length": _length, ...same } = headers;
  return `${status} ${JSON.stringify(same)} ${withoutId(answered, world)}`;
}

/** The body with the id that was asked for masked. */
function withoutId(
  { asked: { slot, idKind, home }, sentId, answer: { body } }: Answered,
  world: World,
): string {
  if (slot === undefined || idKind === "absent" || idKind === "never existed") {
    return body.replaceAll(/\b8000000000000001\b/g, "<id>").replaceAll(sentId ?? "<id>", "<id>");
  }
  return body.replaceAll(idOf(home, slot, idKind, world), "<id>");
}

/** Says what of others stands in the answer: the canary of a project or team, an id of a record. */
export function lookForOthers(answered: Answered, { world, onFault }: Watcher): void {
  const { asked, answer } = answered;
  const body = withoutId(answered, world);
  for (const [canary, team, project] of body.matchAll(/canary(\d)(\d|t)z/g)) {
    const shown = project === "t" ? undefined : world.home(Number(team), Number(project));
    const isOwnTeam = shown === undefined && Number(team) === asked.home.team && answer.status === 200;
    if (!isOwnTeam && (shown === undefined || !mayShow(asked, world, shown))) {
      onFault(`${titleOf(asked)} shows ${canary}`);
    }
  }
  for (const [id] of body.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) {
    const shown = world.owner(id);
    if (shown !== undefined && !mayShow(asked, world, shown)) {
      onFault(`${titleOf(asked)} shows an id of ${shown.canary}`);
    }
  }
}
