// Wire shapes of the hosted server's MCP endpoint: JSON-RPC 2.0; its content is checked by the protocol.
import * as z from "zod";
import { anyJson } from "./fields.ts";

/** One message of a client. */
export const rpcMessage = z.lazy(() =>
  anyJson().meta({
    description:
      "One message of JSON-RPC 2.0, as the Model Context Protocol has it. A tool clamps a `limit` that is out of range, where the REST routes answer 400.",
  }),
);

/** The answer to a request, or to a malformed message. */
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

/** No body: the answer to a notification. */
export const rpcTaken = z.lazy(() => z.custom<undefined>());
