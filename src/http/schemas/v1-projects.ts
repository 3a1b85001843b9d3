// Wire shapes of the hosted server's projects.
import * as z from "zod";
import { anyJsonObject, epochMs, wholeNumberOr } from "./fields.ts";
import { anyId, word } from "./v1-fields.ts";

/** A project of the team. */
const project = z.lazy(() =>
  z
    .object({
      id: z.string(),
      teamId: z.string(),
      name: z.string(),
      metadata: anyJsonObject(),
      createdAtEpoch: epochMs(),
      updatedAtEpoch: epochMs(),
    })
    .meta({ id: "V1Project" }),
);

/** Query of `GET /v1/projects`. */
export const projectsQuery = z.lazy(() =>
  z.strictObject({ limit: wholeNumberOr(100, 1, 200), after: z.string().max(200).default("") }),
);

/** Projects by name; `nextAfter` is the `after` of the next page, null at the end. */
export const projectsAnswer = z.lazy(() =>
  z.object({ projects: z.array(project), nextAfter: z.string().nullable() }),
);

/** Body of `POST /v1/projects`. */
export const newProject = z.lazy(() =>
  z.strictObject({ name: word(200), metadata: anyJsonObject().default({}) }),
);

export const projectAnswer = z.lazy(() => z.object({ project }));

/** `{ projectId }` of a path. */
export const projectParams = z.lazy(() => z.object({ projectId: anyId() }));
