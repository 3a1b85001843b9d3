// Metering: one usage event for each authenticated call, written in batches after the reply.

import { failOpen } from "../../core/errors.ts";
import type { Caller } from "../../core/records/tenancy.ts";

export interface MeteredCall {
  team_id: string;
  project_id: string | null;
  api_key_id: string | null;
}

export type Meter = ReturnType<typeof createMeter>;

interface MeterDeps {
  record(calls: readonly MeteredCall[]): Promise<void>;
}

const flushAfterMs = 250;
const mostBuffered = 20_000;
const mostWritten = 2_000;

export function createMeter({ record }: MeterDeps) {
  const buffer: MeteredCall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let lost = 0;

  function flush(): Promise<void> {
    timer = undefined;
    writing = writing.then(writeAll);
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (buffer.length > 0) {
      const calls = buffer.splice(0, mostWritten);
      const done = await failOpen("metering requests", async () => {
        await record(calls);
        return true;
      });
      if (done !== true) lost += calls.length;
    }
  }

  return {
    /** Counts the call; does not wait. */
    count({ team_id, project_id, key_id }: Caller) {
      if (buffer.length >= mostBuffered) {
        lost += 1;
        return;
      }
      buffer.push({ team_id, project_id, api_key_id: key_id });
      timer ??= setTimeout(() => void flush(), flushAfterMs);
    },
    /** Calls that were lost: the buffer was full, or the write failed. */
    lost: () => lost,
    /** Writes the rest. */
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}
