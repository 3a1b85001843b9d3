// Wire shape of the sync status.
import * as z from "zod";

/** Answer of `GET /api/sync/status`: nothing can configure sync in this version. */
export const syncStatus = z.lazy(() => z.object({ configured: z.literal(false) }));
