// Counts stored events.
import { MemError } from "../core/errors.ts";
import type { EventPorts, Recorded } from "../http/v1/events.ts";

/** Wraps the ports; calls `stored` with the number of new events, without repeats. */
export function countedEvents(events: EventPorts, stored: (count: number) => void): EventPorts {
  return {
    ...events,
    async record(caller, body, options) {
      const recorded = await events.record(caller, body, options);
      count([recorded]);
      return recorded;
    },
    async recordBatch(caller, bodies, options) {
      const results = await events.recordBatch(caller, bodies, options);
      count(results);
      return results;
    },
  };

  function count(results: readonly (Recorded | MemError)[]): void {
    const fresh = results.filter((result) => !(result instanceof MemError) && !result.replayed).length;
    if (fresh > 0) stored(fresh);
  }
}
