// The user's review of an observation: pinned, rejected, superseded, or restored.
import { MemError } from "../../core/errors.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import type { Observation, ObservationStatus } from "../../core/records/records.ts";

/** `restored` takes a rejection back; without one, the supersession. */
export type Verdict =
  /** `by` null: it is done, or no longer so. */
  | { is: "superseded"; by: number | null }
  | { is: "rejected" }
  | { is: "restored" }
  | { is: "pinned" }
  | { is: "unpinned" };

/** The columns that a review changes. */
export interface Standing {
  status: ObservationStatus;
  pinned: 0 | 1;
  superseded_by: number | null;
}

interface ReviewDeps {
  commit<T>(write: () => T): Promise<T>;
  byId(id: number): Observation | undefined;
  /** Stores it, raises the revision and marks the record for sync. */
  setStanding(id: number, standing: Standing): Observation | undefined;
  publish(event: StreamEvent): void;
}

/** Resolves to the reviewed record. Throws `not_found`, or `conflict` when the record's state forbids the verdict. */
export type Review = (id: number, verdict: Verdict) => Promise<Observation>;

export function createReview({ commit, byId, setStanding, publish }: ReviewDeps): Review {
  return async (id, verdict) => {
    // Refusals are returned: a throw would roll back other writes of the same transaction.
    const reviewed = await commit(() => {
      const observation = byId(id);
      if (observation === undefined) return notFound(id);
      const standing = standingAfter(observation, verdict, byId);
      if (standing instanceof MemError) return standing;
      if (isSame(observation, standing)) return { observation, isChanged: false };
      return { observation: setStanding(id, standing) ?? observation, isChanged: true };
    });
    if (reviewed instanceof MemError) throw reviewed;
    const { observation, isChanged } = reviewed;
    if (isChanged) publish({ type: "observation_changed", observation });
    return observation;
  };
}

function standingAfter(
  observation: Observation,
  verdict: Verdict,
  byId: ReviewDeps["byId"],
): Standing | MemError {
  const { id, status, pinned, superseded_by } = observation;
  switch (verdict.is) {
    case "superseded":
      return superseded(observation, verdict.by, byId);
    case "rejected":
      // The pin stays, so that undoing the rejection restores it.
      return { status: "rejected", pinned, superseded_by };
    case "restored":
      if (status === "rejected" && superseded_by !== null)
        return { status: "superseded", pinned: 0, superseded_by };
      return { status: "active", pinned, superseded_by: null };
    case "pinned":
      if (status === "active") return { status, pinned: 1, superseded_by };
      return refused(
        `Observation ${id} is ${status}, and only active observations can be pinned.`,
        undoStep(observation),
      );
    case "unpinned":
      return { status, pinned: 0, superseded_by };
    default:
      return verdict satisfies never;
  }
}

function superseded(
  observation: Observation,
  by: number | null,
  byId: ReviewDeps["byId"],
): Standing | MemError {
  const { id, status, project } = observation;
  if (status === "rejected") return refused(`Observation ${id} is rejected.`, undoStep(observation));
  if (by === null) return { status: "superseded", pinned: 0, superseded_by: null };
  const successor = byId(by);
  if (successor === undefined) return notFound(by);
  if (by === id)
    return refused(`Observation ${id} cannot supersede itself.`, "Name the observation that replaces it.");
  if (successor.status === "rejected")
    return refused(`Observation ${by} is rejected, so it cannot replace another.`, undoStep(successor));
  if (successor.project !== project) {
    return refused(
      `Observation ${id} belongs to project ${project}, ${by} to ${successor.project}.`,
      "Both must belong to one project. Merge two projects: `mem project merge`.",
    );
  }
  const chain = successorsOf(successor, byId);
  if (chain.includes(id)) {
    return refused(
      `Observation ${by} is itself superseded by ${id} (${chain.slice(0, chain.indexOf(id) + 1).join(" -> ")}).`,
      `Undo that first: \`mem supersede ${by} --undo\`.`,
    );
  }
  return { status: "superseded", pinned: 0, superseded_by: by };
}

/** Ids of the record and its successors; ends at a repeat, which a damaged chain could have. */
function successorsOf(first: Observation, byId: ReviewDeps["byId"]): number[] {
  const chain = [first.id];
  for (let next = first.superseded_by; next !== null && !chain.includes(next); ) {
    chain.push(next);
    next = byId(next)?.superseded_by ?? null;
  }
  return chain;
}

function undoStep({ id, status }: Observation): string {
  return `Undo that first: \`mem ${status === "rejected" ? "reject" : "supersede"} ${id} --undo\`.`;
}

function isSame(observation: Standing, standing: Standing): boolean {
  return (
    observation.status === standing.status &&
    observation.pinned === standing.pinned &&
    observation.superseded_by === standing.superseded_by
  );
}

/** Also for edits of an observation's text. */
export function notFound(id: number): MemError {
  return new MemError("not_found", {
    message: `No observation ${id}.`,
    hint: "List observations with their ids: `mem search <words>`.",
  });
}

function refused(message: string, hint: string): MemError {
  return new MemError("conflict", { message, hint });
}
