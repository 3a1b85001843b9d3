// Wire shapes of the repair of what follows from the records.
import * as z from "zod";

export const repairBody = z.lazy(() => z.strictObject({}));

/**
 * Records whose full text, files or vectors are still to be made anew; when the worker compared all of them last by
 * itself, null before it has, and how many it found wrong and made anew.
 */
export const repairState = z.lazy(() =>
  z.object({ waiting: z.int(), compared_at_epoch: z.int().nullable(), mended: z.int() }),
);

export type RepairState = z.output<typeof repairState>;
