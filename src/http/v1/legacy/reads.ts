// A read of the older routes: bounded by what its key reaches, and written down once it is answered.
import type { FastifyRequest } from "fastify";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts, Reach } from "./ports.ts";

/** The scopes of the older routes, by what they do. */
export const reads = { access: "memories:read" } as const;
export const writes = { access: "memories:write" } as const;
export const open = { access: "none" } as const;

/** What is read: within the project of the label, when there is one. */
export interface ReadWithin<A> {
  project?: string | undefined;
  work(reach: Reach): Promise<A>;
  /** How many records the answer holds. */
  count(answer: A): number;
}

/** The answer of `work`; it throws what that throws, and writes nothing down then. */
export async function readWithin<A>(
  ports: Pick<LegacyPorts, "reach" | "recordRead">,
  request: FastifyRequest,
  { project, work, count }: ReadWithin<A>,
): Promise<A> {
  const caller = callerOf(request);
  const reach = await ports.reach(caller, project);
  const answer = await work(reach);
  await ports.recordRead({
    caller,
    project_id: reach?.project_id ?? caller.project_id,
    by: request.routeOptions.url ?? "",
    results: count(answer),
    resource_id: null,
    request_id: request.id,
  });
  return answer;
}
