// Wire shapes of the records that devices share with their team.
import * as z from "zod";
import { provenances } from "../../core/records/records.ts";
import { sharedKinds, sharedLimits, sharedOutcomes } from "../../core/records/shared-record.ts";
import { reaches, speakers, statementKinds } from "../../core/records/statement.ts";
import { anyId, epochMsIn, word } from "./fields.ts";

const origin = () => ({
  device: z
    .string()
    .regex(/^[\w-]{1,128}$/)
    .meta({ description: "The device that the record was made on." }),
  kind: z.enum(sharedKinds),
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .meta({ description: "The device's id of the record." }),
  revision: z.int().min(1).meta({ description: "Counts the changes of the record; a higher one replaces." }),
});

const texts = (most: number) => z.array(z.string().max(4_096)).max(most).default([]);
const text = () => z.string().max(200_000);
const part = () => text().nullable().default(null);

const content = () => ({
  type: word(64),
  title: z.string().max(4_096),
  subtitle: part(),
  summary: text().default(""),
  narrative: part(),
  facts: texts(500),
  concepts: texts(100),
  filesRead: texts(1_000),
  filesModified: texts(1_000),
  provenance: z.enum(provenances).default("agent"),
  generator: z.string().max(256).default(""),
  routine: z.boolean().default(false),
  statement: z
    .strictObject({
      saidBy: z.enum(speakers),
      kind: z.enum(statementKinds).nullable().default(null),
      standing: z.boolean(),
      reach: z.enum(reaches),
      salience: z.number(),
    })
    .nullable()
    .default(null),
  /** Parts of a summary. */
  parts: z.record(z.string().max(64), text().nullable()).nullable().default(null),
  createdAtEpoch: epochMsIn(),
});

/** Body of `POST /v1/memories/shared`. An empty list checks key and project. */
export const sharedRecords = z.lazy(() =>
  z.strictObject({
    projectId: anyId().optional(),
    records: z
      .array(
        z.union([
          z.strictObject({ ...origin(), deleted: z.literal(true) }),
          z.strictObject({ ...origin(), ...content() }),
        ]),
      )
      .max(sharedLimits.records),
  }),
);

/** `sharedRecords`, parsed. */
export type SharedBody = z.output<typeof sharedRecords>;

/** One result per record, in order. */
export const sharedAnswer = z.lazy(() =>
  z.object({
    projectId: z.string(),
    results: z.array(
      z.object({
        outcome: z.enum(sharedOutcomes).meta({
          description:
            "unchanged: this revision or a newer one is stored; withdrawn: its device deleted it; deleted: the team deleted it, and it does not return.",
        }),
        memoryId: z.string().nullable(),
        revision: z.int().meta({ description: "The newest revision that the server has seen." }),
      }),
    ),
  }),
);
