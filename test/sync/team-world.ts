// A device's store with an outbox for the team, and a hosted server that it sends to without a network.
import { systemTimers } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { createTeamRecords } from "../../src/store/sqlite/sync/team-records.ts";
import type { HubRequest, HubTransport } from "../../src/sync/hub-transport.ts";
import { createTeamClient } from "../../src/sync/team-client.ts";
import { createTeamSender } from "../../src/sync/team-sender.ts";
import type { TestKey, TestServer } from "../helpers/hosted-server.ts";
import { createMemoryStore, someTime } from "../helpers/memory-store.ts";

export type TeamDevice = ReturnType<typeof createTeamDevice>;

/** What a request meets on its way: another answer, or undefined to reach the server. */
type OnTheWay = (request: HubRequest) => { status: number; body?: object } | undefined;

export function createTeamDevice(server: TestServer, key: TestKey, path?: string) {
  const memory = createMemoryStore(path);
  const records = createTeamRecords(memory.db, memory.store);
  const requests: HubRequest[] = [];
  const device = newId();
  let onTheWay: OnTheWay = () => undefined;
  const client = createTeamClient(
    throughApp(server, (request) => {
      requests.push(request);
      return onTheWay(request);
    }),
    key.apiKey,
  );
  const sender = createTeamSender({
    ...{ outbox: records, client, timers: systemTimers, self: async () => device },
    clock: { now: () => someTime, monotonicMs: () => performance.now() },
    onFailure: () => undefined,
  });
  return {
    ...{ memory, records, client, sender, requests, device },
    meet(answer: OnTheWay) {
      onTheWay = answer;
    },
    /** With the records from before, unless a time is given. */
    connect: (project: string, more: { to?: string; since?: number; team?: string } = {}) =>
      records.projects.connect(
        { project, team_project: more.to ?? "p", earlier: more.since === undefined },
        more.team ?? key.team_id,
        more.since ?? someTime,
      ),
    /** Gives an observation another title, or only another revision. */
    change(id: number | undefined, title?: string): void {
      memory.db
        .prepare("update observations set title = coalesce(?, title), revision = revision + 1 where id = ?")
        .run(title ?? null, id);
    },
    setStatus(id: number, status: "active" | "rejected"): void {
      memory.db
        .prepare("update observations set status = ?, revision = revision + 1 where id = ?")
        .run(status, id);
    },
    remove(id: number | undefined): void {
      memory.db.prepare("delete from observations where id = ?").run(id);
    },
    /** Titles that the team finds, in the alphabet's order. */
    async found(query: string, project = "p"): Promise<string[]> {
      const hits = await client.search({ project, query, limit: 50 }, new AbortController().signal);
      return hits.map(({ title }) => String(title)).sort();
    },
  };
}

function throughApp(server: TestServer, see: OnTheWay): HubTransport {
  return {
    async exchange(request) {
      const { method, path, headers, body } = request;
      const met = see(request);
      if (met !== undefined)
        return { status: met.status, retryAfterMs: undefined, json: JSON.stringify(met.body ?? {}) };
      const answer = await server.app.inject({
        ...{ method, url: path },
        headers: { host: "mem.test", ...headers, ...(body && { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: answer.statusCode, retryAfterMs: undefined, json: answer.body };
    },
    close: async () => undefined,
  };
}
