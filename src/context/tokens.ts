// What a record or a text costs to read, in tokens.
import type { Observation, Parsed } from "../core/records/records.ts";

/** Tokens of the whole record, at four characters each: the flat estimate users know from the field. */
export function readTokens(observation: Parsed<Observation>): number {
  const { title, subtitle, summary, narrative, facts } = observation;
  const texts = [title, subtitle ?? "", summary, narrative ?? "", ...facts];
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
}

/**
 * Tokens of a text that is about to be injected: four characters of ASCII each, one letter of any other script. Letters
 * with accents cost less than that; a budget errs on the cheap side.
 */
export function textTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > lastAscii) others++;
  return Math.ceil((text.length - others) / 4) + others;
}

const lastAscii = 0x7f;

/** The number with thousands separated, the same on every machine. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
