// Bodies of the routes that say whether an observation holds.
import * as z from "zod";

/** Another one says it now, it is wrong, or the last of both is taken back. */
export const statusBody = z.lazy(() =>
  z
    .discriminatedUnion("status", [
      z.strictObject({ status: z.literal("superseded"), superseded_by: z.int().min(1) }),
      z.strictObject({ status: z.literal("rejected") }),
      z.strictObject({ status: z.literal("active") }),
    ])
    .meta({ id: "ObservationStatus" }),
);

export const pinBody = z.lazy(() => z.strictObject({ pinned: z.boolean() }));
