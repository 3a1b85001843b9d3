// Progress of long work off a terminal: its last line agrees with the end.
import { expect, test } from "vitest";
import { printProgress } from "../../src/cli/long-work.ts";
import { onceASecond } from "../../src/cli/progress.ts";

test("steps within a second show nothing, later ones one line a second and the last", async () => {
  let now = 0;
  const shown: number[] = [];
  const display = () =>
    onceASecond<number>(
      { monotonicMs: () => now },
      { show: (state) => shown.push(state), close: async () => undefined },
    );
  const short = display();
  for (let state = 0; state < 5; state++) short.show(state);
  await short.close();
  expect(shown).toEqual([]);
  const long = display();
  for (let state = 0; state <= 25; state++, now += 100) long.show(state);
  await long.close();
  expect(shown).toEqual([10, 20, 25]);
});

test("a count of tens of thousands ends with all of them, a smaller one prints nothing", () => {
  const lines: string[] = [];
  const io = { err: (line: string) => lines.push(line), talksToTerminal: true };
  const count = (steps: number[], all: number) => {
    const print = printProgress(io, "records read");
    for (const done of steps) print(done, all);
  };
  count([200, 400, 400], 400);
  expect(lines).toEqual([]);
  count([200, 10_200, 20_400, 25_310, 25_310], 25_310);
  expect(lines).toEqual([
    "10000 of 25310 records read",
    "20000 of 25310 records read",
    "25310 of 25310 records read",
  ]);
});
