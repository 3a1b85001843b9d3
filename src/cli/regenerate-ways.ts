// What `mem regenerate` is told to do: to begin, to go on, to stop or to forget, of which only one can be meant.
import { MemError } from "../core/errors.ts";

interface Ways {
  resume?: true;
  stop?: true;
  drop?: true;
  since?: string;
  project?: string;
  generator?: string;
}

/** Throws `usage` when two of them, or one and a choice of records, are given: one would be left out without a word. */
export function demandOneWay({ resume, stop, drop, since, project, generator }: Ways): void {
  const given = Object.entries({ "--resume": resume, "--stop": stop, "--drop": drop })
    .filter(([, isGiven]) => isGiven === true)
    .map(([name]) => name);
  const [way] = given;
  const chosen = [since, project, generator].some((value) => value !== undefined);
  if (given.length === 1 && chosen) {
    throw new MemError("usage", {
      message: `${way} takes no --since, --project or --generator.`,
      hint: "It concerns all that is listed; only a start chooses what to add to the list.",
    });
  }
  if (given.length < 2) return;
  throw new MemError("usage", {
    message: `${given.join(" and ")} contradict each other.`,
    hint: "--resume goes on, --stop leaves the rest listed, --drop stops and forgets it: give one.",
  });
}
