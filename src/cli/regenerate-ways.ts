// What `mem regenerate` is told to do: to begin, to go on, to stop or to forget, of which only one can be meant.
import { MemError } from "../errors.ts";

interface Ways {
  resume?: true;
  stop?: true;
  drop?: true;
}

/** Throws `usage` when two of them are given: one would be left undone without a word. */
export function demandOneWay({ resume, stop, drop }: Ways): void {
  const given = Object.entries({ "--resume": resume, "--stop": stop, "--drop": drop })
    .filter(([, isGiven]) => isGiven === true)
    .map(([name]) => name);
  if (given.length < 2) return;
  throw new MemError("usage", {
    message: `${given.join(" and ")} contradict each other.`,
    hint: "--resume goes on, --stop leaves the rest listed, --drop stops and forgets it: give one.",
  });
}
