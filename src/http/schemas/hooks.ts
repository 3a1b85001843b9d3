// Wire shapes of the route that host hooks pipe their events into.
import * as z from "zod";
import { anyJsonObject } from "./fields.ts";

/** Path of `POST /api/hooks/:host/:event`: the host agent's name, and the event as the host names it. */
export const hookParams = z.lazy(() => z.object({ host: name(), event: name() }));

/** The host's payload as it came on the hook's standard input. */
export const hookBody = z.lazy(() => anyJsonObject());

/** Exactly what the hook prints: the host's envelope, or nothing. */
export const hookAnswer = z.lazy(() => z.string());

function name() {
  const error = "must be 1 to 64 letters, digits, - or _";
  return z.string().regex(/^[\w-]{1,64}$/, { error });
}
