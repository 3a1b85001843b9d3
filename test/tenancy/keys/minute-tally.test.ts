import { expect, test } from "vitest";
import { createMinuteTally } from "../../../src/tenancy/keys/minute-tally.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";

function rig(perMinute: number, maxAddresses?: number) {
  let now = 5_000;
  const clock = { now: () => now, monotonicMs: () => now };
  const attempts = createMinuteTally({
    clock,
    perMinute,
    ...(maxAddresses === undefined ? {} : { maxAddresses }),
  });
  return {
    attempts,
    pass(ms: number) {
      now += ms;
    },
    fill(address: string) {
      for (let turn = 0; turn < perMinute; turn += 1) attempts.add(address);
    },
  };
}

test("allows at most twice the limit a minute; the given wait suffices", () => {
  const random = createRandom(testSeed());
  for (let run = 0; run < 200; run += 1) {
    const perMinute = random.between(1, 40);
    const { attempts, pass } = rig(perMinute);
    const at: number[] = [];
    let now = 0;
    for (let turn = 0; turn < 300; turn += 1) {
      const step = random.between(0, 4_000);
      pass(step);
      now += step;
      const wait = attempts.waitSeconds("a");
      if (wait > 0 && random.next() < 0.2) {
        pass(wait * 1_000);
        now += wait * 1_000;
        expect(attempts.waitSeconds("a")).toBe(0);
      } else if (wait > 0) {
        continue;
      }
      attempts.add("a");
      at.push(now);
    }
    const most = Math.max(...at.map((end) => at.filter((each) => each > end - 60_000 && each <= end).length));
    expect(most).toBeLessThanOrEqual(perMinute * 2);
  }
});

test("the addresses of one IPv6 network count as one, and mapped ones as what they are", () => {
  const { attempts, fill } = rig(3);
  fill("2001:db8:1:2::1");
  expect(attempts.waitSeconds("2001:db8:1:2:ffff::9")).toBeGreaterThan(0);
  expect(attempts.waitSeconds("2001:DB8:1:2:0:0:0:7%eth0")).toBeGreaterThan(0);
  expect(attempts.waitSeconds("2001:db8:1:3::1")).toBe(0);
  fill("::ffff:192.0.2.1");
  expect(attempts.waitSeconds("192.0.2.1")).toBeGreaterThan(0);
  expect(attempts.waitSeconds("::1")).toBe(0);
});

test("the table keeps its bound, and forgets the address that failed longest ago", () => {
  const { attempts, fill } = rig(2, 100);
  fill("first");
  for (let each = 0; each < 100; each += 1) attempts.add(`192.0.2.${each}`);
  expect(attempts.waitSeconds("first")).toBe(0);
});

test("zero is no limit", () => {
  const { attempts } = rig(0);
  for (let turn = 0; turn < 100; turn += 1) attempts.add("a");
  expect(attempts.waitSeconds("a")).toBe(0);
});
