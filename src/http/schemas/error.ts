// The one error body, and which statuses a route can answer with it.
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

/** Statuses of a route that reads: refused by the schema, by the door, or by the storage. */
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
