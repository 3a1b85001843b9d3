// Wire shape of the OpenAPI document itself.
import * as z from "zod";
import { anyJson } from "./fields.ts";

/** Answer of `GET /api/openapi.json` and `/v1/openapi.json`. */
export const openapiAnswer = z.lazy(() =>
  z.object({
    openapi: z.literal("3.1.0"),
    info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
    paths: z.record(z.string(), anyJson()),
    components: z.object({
      schemas: z.record(z.string(), anyJson()),
      headers: z.record(z.string(), anyJson()).optional(),
      securitySchemes: z.record(z.string(), anyJson()).optional(),
    }),
  }),
);

/** `openapiAnswer`, inferred. */
export type OpenapiDocument = z.output<typeof openapiAnswer>;
