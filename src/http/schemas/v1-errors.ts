// Which statuses a route of the hosted server can answer with the error body.
import { errorBody, readErrors, writeErrors } from "./error.ts";

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
