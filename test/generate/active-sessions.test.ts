import { beforeEach, describe, expect, test } from "vitest";
import {
  type ActiveSession,
  type ActiveSessions,
  createActiveSessions,
} from "../../src/generate/active-sessions.ts";

let now: number;
let sessions: ActiveSessions;

beforeEach(() => {
  now = 1_000;
  sessions = createActiveSessions({ clock: { now: () => now } });
});

function session(id: number) {
  return {
    id,
    claude_session_id: `claude ${id}`,
    sdk_session_id: `sdk ${id}`,
    project: "demo",
    user_prompt: "do it",
  };
}

const message = { type: "observation" as const, prompt_number: 3 };

/** Runs `task` as a call of the session. */
async function work(
  of: ReturnType<typeof session>,
  messages: readonly (typeof message)[],
  task: (active: ActiveSession) => Promise<void>,
): Promise<void> {
  const call = sessions.begin(of.id);
  try {
    await task(call.start(of, messages));
  } finally {
    call.end();
  }
}

describe("an active session", () => {
  test("holds what the contract has while a call runs", async () => {
    let end: () => void = () => undefined;
    const working = work(session(7), [message], () => new Promise<void>((resolve) => (end = resolve)));
    expect(sessions.get(7)).toEqual({
      sessionDbId: 7,
      claudeSessionId: "claude 7",
      sdkSessionId: "sdk 7",
      project: "demo",
      userPrompt: "do it",
      pendingMessages: [message],
      abortController: expect.any(AbortController),
      generatorPromise: expect.any(Promise),
      lastPromptNumber: 3,
      startTime: 1_000,
      cumulativeInputTokens: 0,
      cumulativeOutputTokens: 0,
    });
    now = 4_000;
    end();
    await working;
    expect(sessions.get(7)).toMatchObject({
      pendingMessages: [],
      generatorPromise: null,
      lastPromptNumber: 3,
    });
  });

  test("is the same from call to call, and adds its tokens up", async () => {
    for (let call = 0; call < 3; call++)
      await work(session(1), [message], async (active) => {
        active.cumulativeInputTokens += 10;
      });
    expect(sessions.get(1)?.cumulativeInputTokens).toBe(30);
  });

  test("ends its call when it is cancelled, and only its own", async () => {
    const ended: number[] = [];
    const calls = [1, 2].map((id) =>
      work(
        session(id),
        [message],
        ({ abortController: { signal } }) =>
          new Promise<void>((resolve) =>
            signal.addEventListener("abort", () => {
              ended.push(id);
              resolve();
            }),
          ),
      ),
    );
    await sessions.cancel(2);
    await sessions.cancel(3);
    expect(ended).toEqual([2]);
    sessions.cancelAll();
    await Promise.all(calls);
    expect(ended).toEqual([2, 1]);
  });

  test("of a thousand that were left, only the newest are kept", async () => {
    for (let id = 1; id <= 1_000; id++)
      await work({ ...session(id), user_prompt: "x".repeat(100_000) }, [message], async () => undefined);
    expect(sessions.get(901)?.userPrompt).toHaveLength(2_000);
    expect(sessions.get(900)).toBeUndefined();
  });
});
