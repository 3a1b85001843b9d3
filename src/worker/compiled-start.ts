// The worker's process: `node dist/worker.cjs [--announce]`. Runs the bundle with the code cache of the build: 104 ms
// against 158 ms to the first reply.
import { runCompiled, storeCodeCache } from "../core/compiled-code.ts";

// Set by the build.
declare const codeName: string;

// npm's package has no cache, which is for one Node on one system. By then a start has run what the next one needs; it takes
// 50 ms, once.
const storeAfterMs = 5_000;

runCompiled(__dirname, codeName, {
  onCompiled: (script) => {
    setTimeout(() => storeCodeCache(__dirname, codeName, script), storeAfterMs).unref();
  },
});
