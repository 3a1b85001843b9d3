// Making again, by a model, what was written without one, over HTTP.
import type { RegenerationState, Regenerator } from "../../generate/regenerator.ts";
import type { App } from "../plugins/zod.ts";
import { errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { regenerateBody, regenerationState, stopQuery } from "../schemas/regenerate.ts";

export type RegeneratePorts = Pick<Regenerator, "start" | "resume" | "stop" | "state">;

/** `POST`, `GET` and `DELETE /api/regenerate`. */
export function regenerateRoutes(app: App, regenerate: RegeneratePorts): void {
  app.post(
    "/api/regenerate",
    {
      schema: {
        summary: "Make again what fits, in the background; goes on with what is listed already.",
        body: regenerateBody,
        response: { 200: regenerationState, ...writeErrors, 409: errorBody },
      },
    },
    ({ body }): Promise<RegenerationState> | RegenerationState => {
      const { resume = false, generator = "local", since, project } = body;
      return resume ? regenerate.resume() : regenerate.start({ generator, since, project });
    },
  );
  app.get(
    "/api/regenerate",
    { schema: { summary: "How far it is.", response: { 200: regenerationState, ...readErrors } } },
    () => regenerate.state(),
  );
  app.delete(
    "/api/regenerate",
    {
      schema: {
        summary: "Stop it; the rest stays listed for the next start, or with `drop` is forgotten.",
        querystring: stopQuery,
        response: { 200: regenerationState, ...readErrors },
      },
    },
    ({ query }) => regenerate.stop(query),
  );
}
