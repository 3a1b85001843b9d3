// Loaded into a process of a bench: on SIGUSR2 it writes down the longest time its event loop was blocked since the last.
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on("SIGUSR2", () => {
  // A block that has just ended is counted with the next sample.
  setTimeout(() => {
    writeFileSync(process.env.MEM_BENCH_DELAYS, String(delays.max / 1e6));
    delays.reset();
  }, 10);
});
