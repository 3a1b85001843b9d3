// Wire shapes of the branch routes.
import * as z from "zod";

/** Answer of `GET /api/branch/status`; in a package `current` and `remote` are null. `update` is the user's command. */
export const branchStatus = z.lazy(() =>
  z.object({
    installed: z.enum(["checkout", "package"]),
    version: z.string(),
    current: z.string().nullable(),
    remote: z.string().nullable(),
    ahead: z.int(),
    behind: z.int(),
    update: z.string(),
  }),
);

/** Body of `POST /api/branch/switch`. */
export const branchSwitchBody = z.lazy(() => z.strictObject({ branch: z.string().max(1024) }));

/** Answer of `POST /api/branch/switch`; `next` is the command that puts the code to use. */
export const branchSwitched = z.lazy(() => z.object({ success: z.literal(true), next: z.string() }));

/** Body of `POST /api/branch/update`. */
export const branchUpdateBody = z.lazy(() => z.strictObject({}));

/** Answer of `POST /api/branch/update`. */
export const branchUpdated = z.lazy(() =>
  z.object({ success: z.literal(true), updated: z.boolean(), next: z.string().nullable() }),
);

/** `branchStatus`, inferred. */
export type BranchStatus = z.output<typeof branchStatus>;
/** `branchUpdated`, inferred. */
export type BranchUpdated = z.output<typeof branchUpdated>;
/** `branchSwitched`, inferred. */
export type BranchSwitched = z.output<typeof branchSwitched>;
