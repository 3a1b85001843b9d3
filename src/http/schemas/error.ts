// The one error body, and the statuses a route can answer it with.
import * as z from "zod";

/** `{ error: { code, message, hint?, details? } }`; the codes are those of the catalogue in errors.ts. */
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

/** `readErrors` of a route that looks up one thing. */
export const lookupErrors = { ...readErrors, 404: errorBody } as const;

/** Statuses of a route that takes a body and writes. */
export const writeErrors = {
  ...readErrors,
  413: errorBody,
  415: errorBody,
  507: errorBody,
} as const;

/** `writeErrors` of a route that writes to one thing that must exist. */
export const changeErrors = { ...writeErrors, 404: errorBody } as const;

// Of the key: none or none that holds, its team's quota, its rate.
const keyed = { 401: errorBody, 402: errorBody, 429: errorBody } as const;

/** Of a route that is open over quota: the same without the refusal that it never gives. */
export function openOf<T extends { 402: typeof errorBody }>({ 402: _quota, ...others }: T): Omit<T, 402> {
  return others;
}

/** Of a route that reads. */
export const keyedErrors = { ...readErrors, ...keyed } as const;

/** Of a route that looks up one thing. */
export const keyedLookupErrors = { ...keyedErrors, 404: errorBody } as const;

/** Of a route that takes a body and writes. */
export const keyedWriteErrors = { ...writeErrors, ...keyed, 404: errorBody, 409: errorBody } as const;
