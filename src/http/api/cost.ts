// What models cost, over HTTP.
import type { App } from "../plugins/zod.ts";
import { type CostAnswer, type CostQuery, costAnswer, costQuery } from "../schemas/cost.ts";
import { readErrors } from "../schemas/error.ts";

export interface CostPorts {
  report(query: CostQuery): CostAnswer;
}

/** `GET /api/cost`. */
export function costRoutes(app: App, cost: CostPorts): void {
  app.get(
    "/api/cost",
    {
      schema: {
        summary: "What models were asked and cost, by day, project or model, and what the month will cost.",
        querystring: costQuery,
        response: { 200: costAnswer, ...readErrors },
      },
    },
    ({ query }) => cost.report(query),
  );
}
