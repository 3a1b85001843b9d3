// Routes of device sync: its state, pause, resume, a run right now, and which projects leave this device.
import type { App } from "../plugins/zod.ts";
import {
  type SyncAnswer,
  type SyncDevicesAnswer,
  syncActionBody,
  syncDevices,
  syncProjectBody,
  syncStatus,
} from "../schemas/device-sync.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";

export interface SyncPorts {
  /** Asks the hub, without changing anything there. */
  status(): Promise<SyncAnswer>;
  /** Devices of the account, as the hub lists them. */
  devices(): Promise<SyncDevicesAnswer>;
  /** Throws `not_set_up` without token, user id and hub; as the others below. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Pulls, pushes and retries failed operations; resolves when that is done, or at its deadline. */
  now(): Promise<void>;
  /** Lets records from before the setup leave the device too. */
  includeEarlier(): Promise<void>;
  /** Also without a hub: the choice comes before the first contact. */
  setProject(project: string | undefined, synced: boolean): Promise<void>;
}

/** `GET /api/sync/status`, always registered, and the routes that `mem sync` and `mem project sync` call. */
export function deviceSyncRoutes(app: App, sync: SyncPorts): void {
  app.get(
    "/api/sync/status",
    {
      schema: {
        summary: "State of device sync: what waits, the last failure, and whether the hub answers.",
        response: { 200: syncStatus, ...readErrors },
      },
    },
    () => sync.status(),
  );
  app.get(
    "/api/sync/devices",
    {
      schema: {
        summary: "Devices of the account that have pushed, as the hub lists them.",
        response: { 200: syncDevices, ...readErrors },
      },
    },
    () => sync.devices(),
  );
  const errors = { ...changeErrors, 409: errorBody };
  const actions = {
    pause: "Pauses device sync until it is resumed.",
    resume: "Resumes device sync.",
    now: "Pulls and pushes for at most 5 s; failed operations are retried.",
    earlier: "Lets records from before the setup leave this device too, of projects that are synced.",
  } as const;
  const methods = { pause: "pause", resume: "resume", now: "now", earlier: "includeEarlier" } as const;
  for (const [name, summary] of Object.entries(actions)) {
    app.post(
      `/api/sync/${name}`,
      { schema: { summary, body: syncActionBody, response: { 200: syncStatus, ...errors } } },
      async () => {
        await sync[methods[name as keyof typeof actions]]();
        return await sync.status();
      },
    );
  }
  app.post(
    "/api/sync/projects",
    {
      schema: {
        summary: "Chooses whether the records of a project leave this device.",
        body: syncProjectBody,
        response: { 200: syncStatus, ...errors },
      },
    },
    async ({ body: { project, synced } }) => {
      await sync.setProject(project, synced);
      return await sync.status();
    },
  );
}
