// Answers to the questions of `mem sync`: typed at a terminal, or lines of the standard input.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { MemError } from "../core/errors.ts";
import { canAsk } from "./confirm.ts";

export interface Answers {
  /** A person answers, so that more may be asked than a secret. */
  isPerson: boolean;
  /** An empty answer is the fallback, or ends the command without one. */
  ask(what: string, fallback?: string): Promise<string>;
  /** Does not show what is typed. */
  secret(what: string, fallback?: string): Promise<string>;
  /** A person is asked twice, and again while there is a problem. */
  newSecret(what: string, problemOf: (secret: string) => string | undefined): Promise<string>;
  close(): void;
}

/** Throws `usage` without a terminal, unless the answers come from stdin. */
export async function answersFrom({ stdin }: { stdin?: true }, command: string): Promise<Answers> {
  if (stdin === true) return fromLines((await readAll(process.stdin)).split("\n"), command);
  if (canAsk()) return fromTerminal();
  throw new MemError("usage", {
    message: "There is no terminal to ask for the secrets.",
    hint: `Give them as lines: \`${command} --stdin\`.`,
  });
}

function fromLines(lines: string[], command: string): Answers {
  const next = async (what: string, fallback?: string): Promise<string> => {
    const line = lines.shift()?.trim() || fallback;
    if (line) return line;
    throw new MemError("usage", {
      message: `${what} is missing in the standard input.`,
      hint: `See \`${command} --help\`.`,
    });
  };
  return {
    isPerson: false,
    ask: next,
    secret: next,
    newSecret: (what) => next(what),
    close: () => undefined,
  };
}

function fromTerminal(): Answers {
  // Also between two questions: the answer to the next one may be typed early.
  let isHidden = true;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  const ask = async (what: string, fallback?: string): Promise<string> => {
    const answer = await lines.question(what, { signal: ended.signal }).catch((cause: unknown) => {
      if (!ended.signal.aborted) throw cause;
      process.stderr.write("\n");
      throw new MemError("cancelled", { message: "Cancelled." });
    });
    const given = answer.trim() || fallback;
    if (given !== undefined) return given;
    throw new MemError("cancelled", { message: "Cancelled: the answer is empty." });
  };
  // What is typed must not stay on the screen.
  const secret = async (what: string, fallback?: string): Promise<string> => {
    process.stderr.write(`${what}: `);
    try {
      return await ask("", fallback);
    } finally {
      process.stderr.write("\n");
    }
  };
  return {
    isPerson: true,
    async ask(what, fallback) {
      isHidden = false;
      try {
        return await ask(`${what}: `, fallback);
      } finally {
        isHidden = true;
      }
    },
    secret,
    async newSecret(what, problemOf) {
      for (;;) {
        const first = await secret(what);
        const problem =
          problemOf(first) ?? ((await secret("The same again")) === first ? undefined : "The two differ.");
        if (problem === undefined) return first;
        process.stderr.write(`${problem}\n`);
      }
    },
    close: () => lines.close(),
  };
}
