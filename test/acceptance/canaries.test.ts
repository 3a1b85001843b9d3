// Fifty projects that look alike, and random calls of everything that recalls: none tells of another project.
import { expect, test } from "vitest";
import { connectMcp } from "../cli/mcp/connect.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { startWorker, workerHome } from "../helpers/worker-process.ts";
import { canaryCalls } from "./canary-calls.ts";
import { canariesIn, fillProjects } from "./canary-world.ts";

const names = Object.keys(canaryCalls);
const projectCount = Math.min(50, volume(50, 10));
const calls = volume(400, 230);

test(
  "no answer for a project shows a record of another one",
  async () => {
    const seed = testSeed();
    const random = createRandom(seed);
    const home = workerHome();
    const worker = await startWorker(home);
    const projects = await fillProjects(worker, projectCount);
    const mcp = await connectMcp({ home });
    // More than there are of any kind, so that some are not there.
    const mostIds = Math.ceil(1.3 * Math.max(...projects.flatMap(({ ids }) => ids)));
    const seen = new Map(names.map((name) => [name, 0]));
    const foreign: string[] = [];
    for (let number = 0; number < calls; number++) {
      const name = names[number % names.length] ?? "";
      const own = random.pick(projects);
      const other = random.pick(projects);
      const text = (await canaryCalls[name]?.({ worker, mcp, random, own, other, mostIds, number })) ?? "";
      const canaries = canariesIn(text);
      if (canaries.includes(own.canary)) seen.set(name, (seen.get(name) ?? 0) + 1);
      const strangers = canaries.filter((canary) => canary !== own.canary);
      if (strangers.length > 0) foreign.push(`${name} for ${own.label} shows ${strangers.join(", ")}`);
    }
    const told = [...seen.values()].reduce((sum, count) => sum + count, 0);
    console.log(
      `canaries: ${calls} calls of ${names.length} kinds, ${told} told of their own project, ${foreign.length} of another; seed ${seed}`,
    );
    expect(foreign).toEqual([]);
    // A call that never tells anything would keep every secret.
    const silent = [...seen].filter(([, count]) => count === 0).map(([name]) => name);
    expect(silent, `seed ${seed}`).toEqual([]);
  },
  60_000 + calls * 100,
);
