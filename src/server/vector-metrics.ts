// The figures of the search by meaning for Prometheus; of a server without it there are none.
import { Counter, Gauge, type Registry } from "prom-client";
import type { VectorCounts } from "../store/postgres/vector-counts.ts";
import type { EmbeddedCounts } from "./embed-steps.ts";

/** What is read when somebody asks. */
export interface VectorSources {
  /** Records of all teams; undefined when they cannot be counted now. */
  counts(): Promise<Pick<VectorCounts, "done" | "total"> | undefined>;
  /** What this process has made. */
  embedded(): Readonly<EmbeddedCounts>;
  isFailing(): boolean;
  /** Whether questions get no vector at the moment. */
  isUnavailable(): boolean;
}

export function addVectors(registry: Registry, sources: VectorSources): void {
  const registers = [registry];
  new Gauge({
    ...{ name: "mem_vectors", help: "Records of all teams with and without a vector.", registers },
    labelNames: ["state"],
    async collect() {
      this.reset();
      const counts = await sources.counts();
      if (counts === undefined) return;
      this.set({ state: "made" }, counts.done);
      this.set({ state: "missing" }, counts.total - counts.done);
    },
  });
  new Counter({
    ...{ name: "mem_vectors_embedded_total", help: "Records that this process embedded.", registers },
    labelNames: ["outcome"],
    collect() {
      const { made, refused } = sources.embedded();
      this.reset();
      this.inc({ outcome: "made" }, made);
      this.inc({ outcome: "refused" }, refused);
    },
  });
  for (const [of, isIt] of [
    ["records", sources.isFailing],
    ["questions", sources.isUnavailable],
  ] as const) {
    new Gauge({
      ...{ name: `mem_embedder_failing_${of}`, help: `1 while ${of} get no vectors.`, registers },
      collect() {
        this.set(isIt() ? 1 : 0);
      },
    });
  }
}
