// Parts of the hosted server's wire: ids, flags, pages, times.
import * as z from "zod";
import { epochMs } from "./fields.ts";

/** An id in a path, query or body: any text, since one that is no id is answered like one that nobody has. */
export function anyId() {
  return z.string().max(4096);
}

/** `true` or `false` in a query, nothing else. */
export function flag(fallback: boolean, description: string) {
  return z
    .enum(["true", "false"], { error: "must be true or false" })
    .meta({ description })
    .default(fallback ? "true" : "false")
    .transform((text) => text === "true");
}

/** A moment that the database can hold: from 1970 to the end of the year 9999. */
export function epochMsIn() {
  const error = "must be a time in epoch milliseconds";
  return z.int({ error }).min(0, { error }).max(253_402_300_799_999, { error }).meta({ description: error });
}

/** A name or kind of the sender's. */
export function word(maxLength: number) {
  return z.string().min(1).max(maxLength);
}

/** A moment of an answer, or null. */
export function epochMsOrNull() {
  return epochMs().nullable();
}
