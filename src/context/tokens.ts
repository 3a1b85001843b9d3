// What a record costs to read and what work it stands for, in tokens.
import type { Observation, Parsed } from "../domain/records.ts";

/** Tokens of the whole record, at four characters each: the flat estimate users know from the field. */
export function readTokens(observation: Parsed<Observation>): number {
  const { title, subtitle, summary, narrative, facts } = observation;
  const texts = [title, subtitle ?? "", summary, narrative ?? "", ...facts];
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
}

/** The number with thousands separated, the same on every machine. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
