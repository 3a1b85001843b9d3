// The one error body, and the statuses a route can answer it with.
import * as z from "zod";

/** `{ error: { code, message, hint?, details? } }`; the codes are in the catalog in errors.ts. */
export const errorBody = z.lazy(() =>
  z
    .object({
      error: z.object({
        code: z.string(),
        message: z.string(),
        hint: z.string().optional(),
        details: z.unknown().optional(),
      }),
    })
    .meta({ id: "Error" }),
);

/** Statuses of a route that reads: refused by the schema, the request guard or the store. */
export const readErrors = {
  400: errorBody,
  403: errorBody,
  500: errorBody,
  503: errorBody,
} as const;

/** `readErrors` of a route of one record. */
export const lookupErrors = { ...readErrors, 404: errorBody } as const;

/** Statuses of a route that takes a body and writes. */
export const writeErrors = {
  ...readErrors,
  413: errorBody,
  415: errorBody,
  507: errorBody,
} as const;

/** `writeErrors` of a route that changes one record. */
export const changeErrors = { ...writeErrors, 404: errorBody } as const;

// Missing or invalid key, quota of its team, rate limit.
const keyed = { 401: errorBody, 402: errorBody, 429: errorBody } as const;

/** The same without 402, for a route that is open over quota. */
export function openOf<T extends { 402: typeof errorBody }>({ 402: _quota, ...others }: T): Omit<T, 402> {
  return others;
}

/** Of a route that reads. */
export const keyedErrors = { ...readErrors, ...keyed } as const;

/** Of a route of one record. */
export const keyedLookupErrors = { ...keyedErrors, 404: errorBody } as const;

/** Of a route that takes a body and writes. */
export const keyedWriteErrors = { ...writeErrors, ...keyed, 404: errorBody, 409: errorBody } as const;
