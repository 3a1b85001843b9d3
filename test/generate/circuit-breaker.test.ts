import { beforeEach, describe, expect, test } from "vitest";
import {
  type CircuitBreaker,
  type CircuitState,
  createCircuitBreaker,
} from "../../src/generate/circuit-breaker.ts";
import { ModelFailure, type ModelFailureKind } from "../../src/generate/model-failure.ts";

const minute = 60_000;
let circuit: CircuitBreaker;
let told: CircuitState["state"][];
let now: number;

beforeEach(() => {
  told = [];
  now = 1_000_000;
  circuit = createCircuitBreaker({ onChange: ({ state }) => void told.push(state) });
});

/** Asks for the session when it may, and fails; false when it may not ask. */
function fails(kind: ModelFailureKind, retryAfterMs?: number, session = 1): boolean {
  const permit = circuit.admit(now, session);
  permit?.failed(
    new ModelFailure(kind, `it is ${kind}`, retryAfterMs === undefined ? {} : { retryAfterMs }),
    now,
  );
  return permit !== null;
}

function answers(session = 1): boolean {
  const permit = circuit.admit(now, session);
  permit?.succeeded(now);
  return permit !== null;
}

/** Milliseconds until the next try. */
function pauseMs(): number {
  return (circuit.resumesAt(now) ?? now) - now;
}

describe("a provider that wants a pause", () => {
  test.each([
    ["rate_limited", 30_000, 30_000],
    ["rate_limited", 30 * 24 * 60 * minute, 24 * 60 * minute],
    ["rate_limited", 0, 1_000],
    ["quota", 90 * minute, 90 * minute],
    ["unavailable", 7_000, 7_000],
    ["rate_limited", undefined, minute],
    ["quota", undefined, 15 * minute],
    ["auth", undefined, 15 * minute],
  ] as const)("%s with Retry-After %s is left alone for %s ms", (kind, retryAfterMs, expected) => {
    fails(kind, retryAfterMs);
    expect(pauseMs()).toBe(expected);
    expect(circuit.state(now)).toEqual({
      state: "paused",
      reason: { kind, message: `it is ${kind}`, until: now + expected },
    });
    now += expected - 1;
    expect([circuit.mayCall(now, 1), circuit.mayCall(now, 2)]).toEqual([false, false]);
    now += 1;
    expect(circuit.mayCall(now, 1)).toBe(true);
  });

  test.each([
    ["rate_limited", [1, 2, 4, 8, 15, 15]],
    ["quota", [15, 30, 60, 120, 240, 360, 360]],
    ["auth", [15, 15, 15]],
  ] as const)("%s again and again is left alone longer", (kind, minutes) => {
    const pauses = minutes.map(() => {
      fails(kind);
      const pause = pauseMs();
      now += pause;
      return pause / minute;
    });
    expect(pauses).toEqual(minutes);
    expect(answers()).toBe(true);
    fails(kind);
    expect(pauseMs()).toBe(minutes[0] * minute);
  });

  test("is tried by one probe at a time, and open when that is answered", () => {
    fails("rate_limited");
    now += minute;
    expect(circuit.state(now).state).toBe("probing");
    const probe = circuit.admit(now, 1);
    expect([probe?.isProbe, circuit.admit(now, 2)]).toEqual([true, null]);
    probe?.succeeded(now);
    expect(circuit.state(now)).toEqual({ state: "ready", reason: null });
    expect(told).toEqual(["paused", "probing", "ready"]);
  });

  test("is not taken for answering when the probe was broken off", () => {
    fails("rate_limited");
    now += minute;
    circuit.admit(now, 1)?.returned(now);
    expect(circuit.state(now).state).toBe("probing");
    expect(circuit.mayCall(now, 2)).toBe(true);
  });

  test("pauses once for parallel calls, until the latest of their times", () => {
    const calls = [1, 2, 3].map((session) => circuit.admit(now, session));
    for (const [index, call] of calls.entries())
      call?.failed(
        new ModelFailure("rate_limited", "slow down", { retryAfterMs: (index + 1) * 10_000 }),
        now,
      );
    expect(pauseMs()).toBe(30_000);
    expect(told).toEqual(["paused"]);
  });

  test("is tried immediately when its settings changed", () => {
    fails("auth");
    circuit.reset(now);
    expect(circuit.state(now).state).toBe("ready");
    expect(circuit.mayCall(now, 1)).toBe(true);
  });

  test("is not left alone longer because the clock was put back", () => {
    fails("quota");
    now -= 24 * 60 * minute;
    expect(pauseMs()).toBe(15 * minute);
  });
});

describe("a provider that is down", () => {
  test("pauses after three failures in a row, then probes at most 5 minutes apart", () => {
    down();
    for (const base of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      expect(circuit.state(now)).toMatchObject({ state: "paused", reason: { kind: "unavailable" } });
      expect(pauseMs()).toBeGreaterThanOrEqual(base * 0.8);
      expect(pauseMs()).toBeLessThanOrEqual(base * 1.2);
      expect(circuit.mayCall(now, 4)).toBe(false);
      now += pauseMs();
      expect(fails("unavailable")).toBe(true);
    }
  });

  test("is open again after one answered probe", () => {
    down();
    now += pauseMs();
    expect(answers()).toBe(true);
    expect(circuit.state(now).state).toBe("ready");
    expect(fails("unavailable")).toBe(true);
    expect(circuit.state(now).state).toBe("ready");
  });

  test("is not seen in failures with answers in between", () => {
    for (let n = 0; n < 10; n++)
      expect([fails("timeout"), fails("timeout"), answers()]).toEqual([true, true, true]);
    expect(told).toEqual([]);
  });

  test("is not seen in garbage with useful answers in between, nor in what is too long", () => {
    for (let n = 0; n < 10; n++) {
      expect([fails("bad_answer"), fails("bad_answer"), answers(2)]).toEqual([true, true, true]);
      expect(fails("overflow", undefined, n)).toBe(true);
    }
    expect(told).toEqual([]);
  });

  test("may be one session's fault: another need not wait", () => {
    for (let n = 0; n < 3; n++) expect(fails("timeout", undefined, 1)).toBe(true);
    expect([circuit.mayCall(now, 1), circuit.mayCall(now, 2)]).toEqual([false, true]);
    expect(answers(2)).toBe(true);
    expect(circuit.state(now).state).toBe("ready");
  });

  test.each([
    ["two sessions", [1, 2]],
    ["three calls of one session", [1, 1, 1]],
  ])("is left alone when its answers are of no use to %s in a row, until a useful one", (_who, sessions) => {
    for (const session of sessions) {
      expect(circuit.isUseless()).toBe(false);
      expect(fails("bad_answer", undefined, session)).toBe(true);
    }
    const pauses = [pauseMs()];
    expect([circuit.isUseless(), circuit.mayCall(now, 1)]).toEqual([true, false]);
    now += pauseMs();
    expect(fails("bad_answer", undefined, 1)).toBe(true);
    pauses.push(pauseMs());
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
    now += pauseMs();
    expect(answers(1)).toBe(true);
    expect(fails("bad_answer", undefined, 1)).toBe(true);
    expect(circuit.state(now).state).toBe("ready");
  });

  test("with useless answers is probed less and less often, up to once an hour", () => {
    for (let n = 0; n < 3; n++) fails("bad_answer");
    for (let n = 0; n < 12; n++) {
      now += pauseMs();
      expect(fails("bad_answer")).toBe(true);
    }
    expect(pauseMs()).toBeGreaterThanOrEqual(48 * minute);
    expect(pauseMs()).toBeLessThanOrEqual(72 * minute);
  });

  test("is not seen in three useless answers that their messages explain, but in six", () => {
    for (let n = 0; n < 6; n++) {
      expect(circuit.isUseless()).toBe(false);
      circuit.admit(now, 1)?.failed(new ModelFailure("bad_answer", "garbage"), now, true);
    }
    expect(circuit.isUseless()).toBe(true);
  });

  test("is tried in the turn of the sessions that failed longest ago", () => {
    for (const session of [1, 2]) fails("bad_answer", undefined, session);
    expect([3, 1, 2].map(circuit.suspicion)).toEqual([0, 1, 2]);
    now += pauseMs();
    fails("bad_answer", undefined, 1);
    expect(circuit.suspicion(1)).toBeGreaterThan(circuit.suspicion(2));
  });

  function down(): void {
    for (const session of [1, 2, 3]) expect(fails("unavailable", undefined, session)).toBe(true);
  }
});

test("the pause names what the user has to fix", () => {
  circuit.admit(now, 1)?.failed(new ModelFailure("auth", "no such model", { fix: "model" }), now);
  expect(circuit.state(now).reason?.fix).toBe("model");
});

describe("a user who wants it tried now", () => {
  test.each(["rate_limited", "quota"] as const)("ends a pause of %s that has no end time", (kind) => {
    fails(kind);
    expect(circuit.retryNow(now)).toEqual({ resumed: true, waitsUntil: null });
    expect([circuit.admit(now, 1)?.isProbe, circuit.admit(now, 2)]).toEqual([true, null]);
    expect(told).toEqual(["paused", "probing", "probing"]);
  });

  test("ends the pause of an outage", () => {
    for (let n = 0; n < 3; n++) fails("unavailable");
    expect(answers()).toBe(false);
    expect(circuit.retryNow(now)).toEqual({ resumed: true, waitsUntil: null });
    expect(answers()).toBe(true);
    expect(circuit.state(now).state).toBe("ready");
  });

  test.each(["rate_limited", "quota", "unavailable"] as const)(
    "does not end a pause of %s before the Retry-After is over",
    (kind) => {
      fails(kind, 5 * minute);
      expect(circuit.retryNow(now)).toEqual({ resumed: false, waitsUntil: now + 5 * minute });
      expect(answers()).toBe(false);
      now += 5 * minute;
      expect(circuit.retryNow(now)).toEqual({ resumed: false, waitsUntil: null });
      expect(answers()).toBe(true);
    },
  );

  test("opens what a refusal has closed, and changes nothing that is open", () => {
    fails("auth");
    expect(circuit.retryNow(now)).toEqual({ resumed: true, waitsUntil: null });
    expect(circuit.state(now).state).toBe("ready");
    expect(circuit.retryNow(now)).toEqual({ resumed: false, waitsUntil: null });
  });
});
