// Wire shapes of the hosted server's MCP endpoint: JSON-RPC 2.0; what stands in it is the protocol's matter.
import * as z from "zod";
import { anyJson } from "./fields.ts";

/** One message of a client. */
export const rpcMessage = z.lazy(() =>
  anyJson().meta({
    description:
      "One message of JSON-RPC 2.0, as the Model Context Protocol has it. A `limit` of a tool that is out of range is brought into it, where the REST routes answer 400.",
  }),
);

/** The answer to a request, or to what is none. */
export const rpcAnswer = z.lazy(() =>
  z
    .object({
      jsonrpc: z.literal("2.0"),
      id: z.union([z.string(), z.number()]).nullable(),
      result: z.unknown().optional(),
      error: z.object({ code: z.int(), message: z.string() }).optional(),
    })
    .meta({ id: "RpcAnswer" }),
);

/** Nothing: a notification was taken. */
export const rpcTaken = z.lazy(() => z.custom<undefined>());
