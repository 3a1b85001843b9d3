// The number of an observation, as an argument of a command.
import { InvalidArgumentError } from "commander";

/** Reads `12` or `#12`; says so when it is the name of another record. */
export function observationId(text: string): number {
  const digits = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  if (/^#?[SsPp]\d/.test(text)) {
    const noun = /^#?[Ss]/.test(text) ? "session summary" : "prompt";
    throw new InvalidArgumentError(
      `It is a ${noun}: only observations can be pinned, rejected, superseded or edited.`,
    );
  }
  if (digits === undefined) throw new InvalidArgumentError("It must be a number from `mem search`.");
  return Number(digits);
}
