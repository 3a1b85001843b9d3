// Clients that post tool uses and never give up, and the ledger of what was acknowledged to them.
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "./random.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface Ledger {
  /** Tool-use ids answered with `queued`. */
  queued: ReadonlySet<string>;
  /** Posts that had no answer, or one of 5xx, and were sent again. */
  retries: number;
}

export interface PostingClients {
  ledger: Ledger;
  /** The worker that posts go to; undefined while there is none. */
  aim(worker: WorkerProcess | undefined): void;
  /** Lets every client finish the post it is at; the worker must be there. Rejects when a post was refused for good. */
  stop(): Promise<void>;
}

/** `count` clients, two to a session: every tenth post is of a skipped tool, every answer that fails is asked for again. */
export function startPostingClients(count: number, seed: number): PostingClients {
  const queued = new Set<string>();
  const ledger = { queued, retries: 0 };
  let target: WorkerProcess | undefined;
  let running = true;

  async function post(body: Record<string, unknown>): Promise<string> {
    for (;;) {
      const worker = target;
      try {
        if (worker !== undefined) {
          const answer = await worker.post("/api/sessions/observations", body);
          if (answer.status === 200) return JSON.stringify(answer.body);
          if (answer.status < 500)
            throw new TypeError(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
        }
      } catch (cause) {
        if (cause instanceof TypeError) throw cause;
      }
      if (worker !== undefined) ledger.retries += 1;
      // Without pause they would take the processor from the worker that starts.
      await sleep(20);
    }
  }

  async function client(index: number): Promise<void> {
    const random = createRandom(seed + index);
    for (let n = 0; running; n++) {
      const id = `toolu_${index}_${n}`;
      const skipped = n % 10 === 9;
      const answer = await post(toolUse(random, { id, session: `session-${index >> 1}`, skipped }));
      if (answer.includes('"queued"')) queued.add(id);
      // Paced, so that a long run does not spend its time on checking a huge database.
      await sleep(random.between(5, 30));
    }
  }
  const clients = Promise.all(Array.from({ length: count }, (_, index) => client(index)));
  clients.catch(() => undefined);
  return {
    ledger,
    aim(worker) {
      target = worker;
    },
    async stop() {
      running = false;
      await clients;
    },
  };
}

/** A plausible tool use of about a kilobyte. */
export function toolUse(
  random: Random,
  { id, session, skipped = false }: { id: string; session: string; skipped?: boolean },
): Record<string, unknown> {
  const words = Array.from({ length: 90 }, () => random.pick(vocabulary));
  const file = `/home/user/app/src/${random.pick(vocabulary)}.ts`;
  return {
    claudeSessionId: session,
    tool_use_id: id,
    tool_name: skipped ? "TodoWrite" : random.pick(["Edit", "Read", "Write"]),
    tool_input: {
      file_path: file,
      old_string: words.slice(0, 8).join(" "),
      new_string: words.slice(8, 20).join(" "),
    },
    tool_response: { filePath: file, content: words.slice(20).join(" ") },
    cwd: "/home/user/app",
  };
}

const vocabulary =
  "cache queue token parser retry lease worker session index commit batch schema socket buffer cursor render route plugin".split(
    " ",
  );
