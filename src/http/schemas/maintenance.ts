// Wire shapes of the repair of what follows from the records.
import * as z from "zod";

export const repairBody = z.lazy(() => z.strictObject({}));

/** Records whose full text, files or vectors are still to be made anew. */
export const repairState = z.lazy(() => z.object({ waiting: z.int() }));

export type RepairState = z.output<typeof repairState>;
