// Wire shapes of the hosted server's keys and of the lines that connect an agent.
import * as z from "zod";
import { connectHosts } from "../../core/records/connect-commands.ts";
import { scopes } from "../../core/records/tenancy.ts";
import { anyId, wholeNumberOr } from "./fields.ts";

const scopeList = () => z.array(z.enum(scopes));
const isoTimeText = () => z.string().meta({ format: "date-time" });

/** Body of `POST /v1/keys`: nothing in it widens the key. */
export const newKey = z.lazy(() =>
  z.strictObject({
    label: z.string().max(120).default(""),
    expiresInDays: z
      .int({ error: daysError })
      .min(1, { error: daysError })
      .max(365, { error: daysError })
      .default(90),
  }),
);

const daysError = "must be a whole number of days from 1 to 365";

const connection = () => ({
  mcpUrl: z.string(),
  connectCommand: z.string(),
  connectCommands: z.record(z.enum(connectHosts), z.string()),
  hint: z.string(),
});

/** The new key with its text, which no later answer shows again. */
export const mintedKey = z.lazy(() =>
  z
    .object({
      id: z.string(),
      apiKey: z.string(),
      teamId: z.string(),
      projectId: z.string().nullable(),
      label: z.string(),
      scopes: scopeList(),
      expiresAt: isoTimeText(),
      ...connection(),
    })
    .meta({ id: "V1MintedKey" }),
);

/** How to connect, with a placeholder for the key. */
export const connectAnswer = z.lazy(() => z.object(connection()).meta({ id: "V1Connect" }));

export const keysQuery = z.lazy(() =>
  z.strictObject({ limit: wholeNumberOr(50, 1, 200), offset: wholeNumberOr(0, 0, 100_000) }),
);

/** Keys without their text, newest first. */
export const keysAnswer = z.lazy(() =>
  z.object({
    keys: z.array(
      z
        .object({
          id: z.string(),
          prefix: z.string(),
          lastFour: z.string(),
          label: z.string(),
          scopes: scopeList(),
          teamId: z.string(),
          projectId: z.string().nullable(),
          parentId: z.string().nullable(),
          createdAt: isoTimeText(),
          expiresAt: isoTimeText(),
          revokedAt: isoTimeText().nullable(),
          lastUsedAt: isoTimeText().nullable(),
        })
        .meta({ id: "V1Key" }),
    ),
    hasMore: z.boolean(),
  }),
);

/** `{ id }` of a path. */
export const keyParams = z.lazy(() => z.object({ id: anyId() }));

/** `revokedIds`: the named key and its descendants, without those that had ended before. */
export const revokedKey = z.lazy(() =>
  z.object({ revoked: z.literal(true), id: z.string(), revokedIds: z.array(z.string()) }),
);
