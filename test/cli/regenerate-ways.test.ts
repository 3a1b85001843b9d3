import { expect, test } from "vitest";
import { demandOneWay } from "../../src/cli/regenerate-ways.ts";

const ways = ["resume", "stop", "drop"] as const;

test("any two of resume, stop and drop are refused as a contradiction", () => {
  for (const [index, first] of ways.entries()) {
    for (const second of ways.slice(index + 1)) {
      expect(() => demandOneWay({ [first]: true, [second]: true })).toThrow(
        `--${first} and --${second} contradict each other.`,
      );
    }
  }
});

test("one of them alone, or none, is no contradiction", () => {
  for (const way of [{}, ...ways.map((name) => ({ [name]: true }))])
    expect(() => demandOneWay(way)).not.toThrow();
});
