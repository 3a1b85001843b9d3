// A count as an option takes it.
import { InvalidArgumentError } from "commander";

/** A reader of whole numbers in the range; says the range when the text is none. */
export function count(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,7}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
