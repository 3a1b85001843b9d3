// Wire shapes of device sync: pushes, pages of the log, its status and devices, frames of the live channel.
import * as z from "zod";
import { isUint64, syncLimits } from "../../core/records/sync-op.ts";
import { epochMs, wholeNumberOr } from "./fields.ts";

const sequence = () =>
  z.string().meta({ description: "A sequence of the log: a decimal number of at most 64 bits." });
const epochName = () => z.string().meta({ description: "Names the log; another one means another log." });

/** Body of `POST /v1/sync/ops`. The hub checks each operation itself, so that a refusal names its index. */
export const syncPush = z.lazy(() =>
  z.object({
    epoch: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "The log that the device knows. Another one is refused: `epoch_changed`." }),
    ops: z
      .array(syncOp())
      .min(1)
      .meta({
        description: `At most ${syncLimits.opsPerRequest}, with at most ${syncLimits.bytesPerRequest} bytes of bodies together.`,
      }),
  }),
);

function syncOp() {
  return z
    .custom<unknown>(() => true)
    .meta({
      type: "object",
      required: ["body", "sha256"],
      properties: {
        body: {
          type: "string",
          description: `Canonical JSON (RFC 8785) of at most ${syncLimits.bodyBytes} bytes with v, device, kind, id, revision, deleted, and what devices add.`,
        },
        sha256: {
          type: "string",
          description: "SHA-256 of the body's UTF-8 bytes, base64url without padding.",
        },
      },
    });
}

/** Answer of `POST /v1/sync/ops`: one result per operation, in their order. */
export const syncPushed = z.lazy(() =>
  z
    .object({
      epoch: epochName(),
      head_seq: sequence(),
      results: z.array(
        z.object({
          seq: sequence(),
          duplicate: z.boolean().meta({
            description: "True for a replay; the sequence is the one of the first arrival.",
          }),
        }),
      ),
    })
    .meta({ id: "V1SyncPushed" }),
);

const cursorError = "must be a decimal number of at most 64 bits";

/** Query of `GET /v1/sync/changes`. */
export const syncChangesQuery = z.lazy(() =>
  z.strictObject({
    since: z.string().refine(isUint64, { error: cursorError }).default("0"),
    limit: wholeNumberOr(syncLimits.opsPerRequest, 1, syncLimits.opsPerRequest),
  }),
);

/** A page of the log. It has no hole when `after` of the first is at most `since`, and each next `after` is the `seq` before. */
export const syncChanges = z.lazy(() =>
  z
    .object({
      epoch: epochName(),
      head_seq: sequence(),
      more: z.boolean(),
      ops: z.array(
        z.object({
          seq: sequence(),
          after: z.string().meta({ description: "Sequence of the operation before it, `0` for the first." }),
          body: z.string(),
          sha256: z.string(),
          received_at: epochMs(),
        }),
      ),
    })
    .meta({ id: "V1SyncChanges" }),
);

/** Answer of `GET /v1/sync/status`. */
export const syncStatus = z.lazy(() =>
  z
    .object({
      epoch: epochName(),
      head_seq: sequence(),
      op_count: z.int(),
      device_count: z.int(),
      device_limit: z.int(),
      compacted_through: sequence().optional(),
    })
    .meta({ id: "V1SyncStatus" }),
);

/** Answer of `GET /v1/sync/devices`. */
export const syncDevices = z.lazy(() =>
  z
    .object({
      epoch: epochName(),
      device_limit: z.int(),
      devices: z.array(
        z.object({
          id: z.string(),
          name: z.string().meta({ description: "Empty when the device sent none." }),
          first_push_at: epochMs(),
          last_push_at: epochMs(),
          last_seq: z
            .string()
            .meta({ description: "Its newest operation in this log, `0` when it has none there." }),
        }),
      ),
    })
    .meta({ id: "V1SyncDevices" }),
);

/** A frame of `GET /v1/sync/ws`. */
export const syncAdvance = z.lazy(() =>
  z
    .object({ type: z.literal("advance"), epoch: epochName(), head_seq: sequence() })
    .meta({ id: "V1SyncAdvance" }),
);
