// Worker start: from spawn to the first 200 on /api/health with 100,000 observations, against a bare Node start.
import { installDataset } from "./dataset.mjs";
import { interleave, ratioFigure, timeProcess } from "./measure.mjs";
import { benchHome, startWorker } from "./worker.mjs";

export async function run({ say }) {
  const home = benchHome();
  try {
    await installDataset(home.dataDir, say);
    const sides = await interleave(
      {
        worker: async () => {
          const worker = await startWorker(home);
          await worker.stop();
          return worker.readyMs;
        },
        node: () => timeProcess(process.execPath, ["-e", "0"], { env: home.env }).ms,
      },
      { rounds: 30 },
    );
    return [
      ratioFigure({
        name: "worker start / node -e 0",
        unit: "ms",
        ours: { label: "spawn to first health answer, 100,000 observations", ...sides.worker },
        floor: { label: "node -e 0", ...sides.node },
        target: "<= 6",
      }),
    ];
  } finally {
    home.remove();
  }
}
