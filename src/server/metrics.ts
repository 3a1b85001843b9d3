// Prometheus metrics of one server process. No label names a team, a project or a key.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ModelCall } from "../core/records/model-call.ts";
import type { AnsweredRequest } from "../http/v1/hosted-app.ts";
import type { JobCounts } from "../store/postgres/job-counts.ts";
import type { PoolState } from "../store/postgres/open.ts";
import type { VectorCounts } from "../store/postgres/vector-counts.ts";
import type { AuthenticationCounts } from "../tenancy/keys/authenticate.ts";
import type { EmbeddedCounts } from "./vectors/embed-records.ts";

/** Counters of other parts; read on each scrape. */
export interface MetricSources {
  authentication(): Readonly<AuthenticationCounts>;
  /** Requests that passed uncounted because the limits' store did not answer. */
  guardsSkipped(): number;
  /** Requests that were not metered. */
  usageLost(): number;
  /** Reads that were not written to the audit log. */
  auditLost(): number;
}

/** State of the vectors; read on each scrape. */
export interface VectorSources {
  /** Records of all teams; undefined when the count failed. */
  counts(): Promise<Pick<VectorCounts, "done" | "total"> | undefined>;
  /** Records embedded by this process. */
  embedded(): Readonly<EmbeddedCounts>;
  isFailing(): boolean;
  /** True while queries get no vector. */
  isUnavailable(): boolean;
}

/** Events of the generating side. */
export type GenerationWatch = ReturnType<typeof addGeneration>;

export type ServerMetrics = ReturnType<typeof createServerMetrics>;

interface MetricsDeps {
  version: string;
  role: string;
  /** Undefined when the count failed: these metrics are then left out. */
  jobs(): Promise<JobCounts | undefined>;
  pools(): readonly PoolState[];
}

export function createServerMetrics({ version, role, jobs, pools }: MetricsDeps) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    ...{ name: "mem_build_info", help: "Version and role of the process.", registers },
    labelNames: ["version", "role"],
  }).set({ version, role }, 1);
  addJobs(registry, jobs);
  addPools(registry, pools);
  const requests = new Histogram({
    ...{ name: "mem_http_request_duration_seconds", help: "Answered requests.", registers },
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  });
  const events = new Counter({
    ...{ name: "mem_events_stored_total", help: "Events stored over HTTP, without repeats.", registers },
  });
  return {
    generation: addGeneration(registry),
    answered: ({ method, route, status, seconds }: AnsweredRequest) =>
      requests.observe({ method, route, status }, seconds),
    stored: (count: number) => events.inc(count),
    watch: (sources: MetricSources) => addSources(registry, sources),
    watchVectors: (sources: VectorSources) => addVectors(registry, sources),
    /** All metrics in the Prometheus text format. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Values by label; a metric without a label has one value under "". */
type Values = Readonly<Record<string, number>>;

interface Collected {
  name: string;
  help: string;
  /** The label of the values. */
  label?: string;
  /** Undefined leaves the metric out of the scrape. */
  read(): Values | number | undefined | Promise<Values | number | undefined>;
}

/** A metric whose values are read on each scrape. */
function collected(
  registry: Registry,
  type: "counter" | "gauge",
  { name, help, label, read }: Collected,
): void {
  const common = { name, help, registers: [registry], labelNames: label === undefined ? [] : [label] };
  async function collect(this: Gauge | Counter): Promise<void> {
    const values = await read();
    // A reset metric without a label would report 0.
    if (values === undefined && label === undefined) this.remove();
    else this.reset();
    if (values === undefined) return;
    for (const [value, count] of Object.entries(typeof values === "number" ? { "": values } : values))
      this.inc(label === undefined ? {} : { [label]: value }, count);
  }
  if (type === "counter") new Counter({ ...common, collect });
  else new Gauge({ ...common, collect });
}

function addJobs(registry: Registry, jobs: MetricsDeps["jobs"]): void {
  collected(registry, "gauge", {
    ...{ name: "mem_jobs", help: "Generation jobs of all teams that are not completed.", label: "status" },
    async read() {
      const counts = await jobs();
      if (counts === undefined) return undefined;
      const { queued, processing, failed, cancelled } = counts;
      return { queued, processing, failed, cancelled };
    },
  });
  collected(registry, "gauge", {
    ...{ name: "mem_jobs_oldest_queued_seconds", help: "Age of the oldest queued job." },
    read: async () => (await jobs())?.oldest_queued_seconds,
  });
}

function addPools(registry: Registry, pools: MetricsDeps["pools"]): void {
  new Gauge({
    ...{ name: "mem_database_connections", help: "Open connections to the database.", registers: [registry] },
    labelNames: ["pool", "state"],
    collect() {
      for (const { pool, open, idle } of pools()) {
        this.set({ pool, state: "used" }, open - idle);
        this.set({ pool, state: "idle" }, idle);
      }
    },
  });
  collected(registry, "gauge", {
    ...{ name: "mem_database_waiting", help: "Statements that wait for a connection.", label: "pool" },
    read: () => Object.fromEntries(pools().map(({ pool, waiting }) => [pool, waiting])),
  });
}

function addGeneration(registry: Registry) {
  const registers = [registry];
  const calls = new Counter({
    ...{ name: "mem_provider_calls_total", help: "Calls of the model provider.", registers },
    labelNames: ["provider", "outcome"],
  });
  const tokens = new Counter({
    ...{ name: "mem_provider_tokens_total", help: "Tokens of the model provider.", registers },
    labelNames: ["provider", "direction"],
  });
  const batches = new Counter({
    ...{ name: "mem_generation_batches_total", help: "Batches of jobs that ended.", registers },
    labelNames: ["outcome"],
  });
  return {
    called({
      provider,
      outcome,
      input_tokens,
      output_tokens,
    }: Pick<ModelCall, "provider" | "outcome" | "input_tokens" | "output_tokens">) {
      calls.inc({ provider, outcome });
      tokens.inc({ provider, direction: "input" }, input_tokens);
      tokens.inc({ provider, direction: "output" }, output_tokens);
    },
    /** A batch ended. */
    worked: (outcome: "completed" | "failed") => batches.inc({ outcome }),
  };
}

function addSources(registry: Registry, sources: MetricSources): void {
  collected(registry, "counter", {
    name: "mem_authentication_failures_total",
    help: "Requests refused without a valid key, rate limited, or not checked because the database did not answer.",
    label: "reason",
    read() {
      const { refused, limited, lookup_failures } = sources.authentication();
      return { refused, limited, unavailable: lookup_failures };
    },
  });
  for (const [name, help, read] of [
    ["mem_guards_skipped_total", "Requests that passed the limits uncounted.", sources.guardsSkipped],
    ["mem_usage_lost_total", "Requests that were not metered.", sources.usageLost],
    ["mem_audit_lost_total", "Reads that were not written to the audit log.", sources.auditLost],
  ] as const) {
    collected(registry, "counter", { name, help, read });
  }
}

function addVectors(registry: Registry, sources: VectorSources): void {
  collected(registry, "gauge", {
    ...{ name: "mem_vectors", help: "Records of all teams with and without a vector.", label: "state" },
    async read() {
      const counts = await sources.counts();
      return counts && { made: counts.done, missing: counts.total - counts.done };
    },
  });
  collected(registry, "counter", {
    ...{ name: "mem_vectors_embedded_total", help: "Records embedded by this process.", label: "outcome" },
    read: () => ({ ...sources.embedded() }),
  });
  for (const [of, isFailing] of [
    ["records", sources.isFailing],
    ["questions", sources.isUnavailable],
  ] as const) {
    collected(registry, "gauge", {
      ...{ name: `mem_embedder_failing_${of}`, help: `1 while ${of} get no vectors.` },
      read: () => (isFailing() ? 1 : 0),
    });
  }
}
