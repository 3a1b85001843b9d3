// What the user says of an observation, over HTTP: superseded, rejected, pinned, or taken back.
import type { Review } from "../../context/freshness/review.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import { observation } from "../schemas/observation.ts";
import { pinBody, statusBody } from "../schemas/truth.ts";

/** `POST /api/observations/:id/status` and `/api/observations/:id/pin`; both answer the record as it is then. */
export function truthRoutes(app: App, review: Review): void {
  const response = { 200: observation, ...changeErrors, 409: errorBody };
  app.post(
    "/api/observations/:id/status",
    {
      schema: {
        summary: "Say that an observation is superseded or rejected; `active` takes the last of both back.",
        params: idParams,
        body: statusBody,
        response,
      },
    },
    ({ params: { id }, body }) => {
      if (body.status === "superseded") return review(id, { is: "superseded", by: body.superseded_by });
      return review(id, { is: body.status === "rejected" ? "rejected" : "restored" });
    },
  );
  app.post(
    "/api/observations/:id/pin",
    {
      schema: {
        summary: "Pin an observation, so that it comes first in what is injected, or unpin it.",
        params: idParams,
        body: pinBody,
        response,
      },
    },
    ({ params: { id }, body }) => review(id, { is: body.pinned ? "pinned" : "unpinned" }),
  );
}
