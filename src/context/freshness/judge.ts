// What the user says of an observation: another one says it now, it is wrong, it matters.

import { MemError } from "../../core/errors.ts";
import type { StreamEvent } from "../../core/records/events.ts";
import type { Observation, ObservationStatus } from "../../core/records/records.ts";

/** What can be said. `restored` takes a rejection back, else that the record was superseded. */
export type Judgement =
  | { is: "superseded"; by: number }
  | { is: "rejected" }
  | { is: "restored" }
  | { is: "pinned" }
  | { is: "unpinned" };

/** The part of a record that a judgement decides. */
export interface Standing {
  status: ObservationStatus;
  pinned: 0 | 1;
  superseded_by: number | null;
}

interface JudgeDeps {
  commit<T>(write: () => T): Promise<T>;
  byId(id: number): Observation | undefined;
  /** Stores it, raises the revision and marks the record for sync. */
  setStanding(id: number, standing: Standing): Observation | undefined;
  publish(event: StreamEvent): void;
}

export type Judge = (id: number, judgement: Judgement) => Promise<Observation>;

/** Resolves to the record as it is then. Throws `not_found`, or `conflict` when the records say otherwise. */
export function createJudge({ commit, byId, setStanding, publish }: JudgeDeps): Judge {
  return async (id, judgement) => {
    // Refusals are carried out of the write: one that throws would take its neighbours' transaction with it.
    const judged = await commit(() => {
      const observation = byId(id);
      if (observation === undefined) return notThere(id);
      const standing = standingAfter(observation, judgement, byId);
      if (standing instanceof MemError || isSame(observation, standing)) return { standing, observation };
      return { observation: setStanding(id, standing) ?? observation, changed: true };
    });
    if (judged instanceof MemError) throw judged;
    if (judged.standing instanceof MemError) throw judged.standing;
    const { observation, changed } = judged;
    if (changed === true) publish({ type: "observation_changed", observation });
    return observation;
  };
}

function standingAfter(
  observation: Observation,
  judgement: Judgement,
  byId: JudgeDeps["byId"],
): Standing | MemError {
  const { id, status, pinned, superseded_by } = observation;
  switch (judgement.is) {
    case "superseded":
      return superseded(observation, judgement.by, byId);
    case "rejected":
      // It stays pinned: nobody is told what is rejected, and what is taken back is as it was.
      return { status: "rejected", pinned, superseded_by };
    case "restored":
      if (status === "rejected" && superseded_by !== null)
        return { status: "superseded", pinned: 0, superseded_by };
      return { status: "active", pinned, superseded_by: null };
    case "pinned":
      if (status === "active") return { status, pinned: 1, superseded_by };
      return refused(
        `Observation ${id} is ${status}, and only what holds can be pinned.`,
        restoreStep(observation),
      );
    case "unpinned":
      return { status, pinned: 0, superseded_by };
    default:
      return judgement satisfies never;
  }
}

function superseded(observation: Observation, by: number, byId: JudgeDeps["byId"]): Standing | MemError {
  const { id, status, project } = observation;
  const successor = byId(by);
  if (successor === undefined) return notThere(by);
  if (by === id)
    return refused(`Observation ${id} cannot take its own place.`, "Name the one that holds now.");
  if (status === "rejected") return refused(`Observation ${id} is rejected.`, restoreStep(observation));
  if (successor.status === "rejected") {
    return refused(`Observation ${by} is rejected, so it cannot take a place.`, restoreStep(successor));
  }
  if (successor.project !== project) {
    return refused(
      `Observation ${id} is of the project ${project}, ${by} of ${successor.project}.`,
      "One that holds in its place must be of the same project; `mem project merge` makes two one.",
    );
  }
  const chain = successorsOf(successor, byId);
  if (chain.includes(id)) {
    return refused(
      `Observation ${by} is itself superseded by ${id} (${[...chain.slice(0, chain.indexOf(id) + 1)].join(" -> ")}).`,
      `Take that back first: \`mem supersede ${by} --undo\`.`,
    );
  }
  return { status: "superseded", pinned: 0, superseded_by: by };
}

/** The record and those that follow it, by id; ends at a repeat, which a damaged chain could have. */
function successorsOf(first: Observation, byId: JudgeDeps["byId"]): number[] {
  const chain = [first.id];
  for (let next = first.superseded_by; next !== null && !chain.includes(next); ) {
    chain.push(next);
    next = byId(next)?.superseded_by ?? null;
  }
  return chain;
}

function restoreStep({ id, status }: Observation): string {
  return `Take that back first: \`mem ${status === "rejected" ? "reject" : "supersede"} ${id} --undo\`.`;
}

function isSame(observation: Standing, standing: Standing): boolean {
  return (
    observation.status === standing.status &&
    observation.pinned === standing.pinned &&
    observation.superseded_by === standing.superseded_by
  );
}

function notThere(id: number): MemError {
  return new MemError("not_found", {
    message: `There is no observation ${id}.`,
    hint: "Ids stand in front of what `mem search` finds.",
  });
}

function refused(message: string, hint: string): MemError {
  return new MemError("conflict", { message, hint });
}
