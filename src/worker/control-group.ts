// The control group: sessions that get no context, chosen by a hash of their id; and what agents read by id, for the report.
import { cleanKey } from "../capture/clean-input.ts";
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { parseRecordName, recordName } from "../core/records/record-name.ts";
import { controlItem, fetchedItem, reportReader } from "../core/records/usage-report.ts";
import { readRecords } from "../core/tools/own-tools.ts";
import type { HostEvent } from "../hosts/host-event.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Injections } from "./injections.ts";

interface MeasureDeps {
  settings: Pick<LoadedSettings, "get">;
  store: Pick<Store, "commit"> & { contextLedger: Pick<Store["contextLedger"], "since" | "add"> };
  clock: Clock;
}

export function createMeasured(deps: MeasureDeps): (injections: Injections) => Injections {
  const percent = deps.settings.get("MEM_CONTROL_GROUP_PERCENT");
  /** Nothing for a session of the control group, which is noted once. */
  async function unlessControl(
    { sessionId }: HostEvent,
    inject: () => Promise<string | null>,
  ): Promise<string | null> {
    const session = cleanKey(sessionId);
    if (!isInControl(session, percent)) return inject();
    await note(deps, session, [controlItem]);
    return null;
  }
  return (injections) => ({
    ...injections,
    atStart: (event, how) => unlessControl(event, () => injections.atStart(event, how)),
    atPrompt: (event, how) => unlessControl(event, () => injections.atPrompt(event, how)),
    beforeFile: (event, how) => unlessControl(event, () => injections.beforeFile(event, how)),
    beforeCommand: (event, how) => unlessControl(event, () => injections.beforeCommand(event, how)),
    ofProject: (event, how) => unlessControl(event, () => injections.ofProject(event, how)),
    afterTool: (event, how) => unlessControl(event, () => injections.afterTool(event, how)),
    async afterWrite(event) {
      const names = readRecords({ tool_name: event.toolName, tool_input: event.toolInput });
      if (names.length > 0) await note(deps, cleanKey(event.sessionId), itemsOf(names));
      await injections.afterWrite(event);
    },
  });
}

/** The same sessions while the share stays, and a part of more when it grows. */
export function isInControl(session: string, percent: number): boolean {
  return percent > 0 && Number.parseInt(contentKey("control group", session).slice(0, 8), 16) % 100 < percent;
}

const mostNames = 50;

function itemsOf(names: readonly string[]): string[] {
  return names.slice(0, mostNames).flatMap((given) => {
    const name = parseRecordName(given);
    return name === undefined ? [] : [fetchedItem(recordName(name))];
  });
}

async function note({ store, clock }: MeasureDeps, session: string, given: readonly string[]) {
  const { contextLedger, commit } = store;
  const reader = { session, reader: reportReader };
  const added = given.filter((item) => contextLedger.since(reader, item) === undefined);
  if (added.length > 0)
    await failOpen("noting for the report", () =>
      commit(() => contextLedger.add(reader, added, clock.now())),
    );
}
