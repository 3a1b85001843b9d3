// The figures of one process of the hosted server for Prometheus. No label names a team, a project or a key.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ModelCall } from "../core/records/model-call.ts";
import type { AnsweredRequest } from "../http/v1/request-metrics.ts";
import type { JobCounts } from "../store/postgres/job-counts.ts";
import type { PoolState } from "../store/postgres/open.ts";
import type { AuthenticationCounts } from "../tenancy/keys/authenticate.ts";
import { addVectors, type VectorSources } from "./vector-metrics.ts";

/** What other parts count by themselves; read when somebody asks. */
export interface MetricSources {
  authentication(): Readonly<AuthenticationCounts>;
  /** Requests that passed uncounted, since the limits' store did not answer. */
  guardsSkipped(): number;
  /** Requests that were not metered. */
  usageLost(): number;
  /** Reads that were not written to the audit log. */
  auditLost(): number;
}

/** What the generating side tells as it happens. */
export interface GenerationWatch {
  called(call: Pick<ModelCall, "provider" | "outcome" | "input_tokens" | "output_tokens">): void;
  /** One batch came to its end. */
  worked(outcome: "completed" | "failed"): void;
}

export interface ServerMetrics {
  generation: GenerationWatch;
  answered(request: AnsweredRequest): void;
  stored(events: number): void;
  watch(sources: MetricSources): void;
  /** Where there is a search by meaning. */
  watchVectors(sources: VectorSources): void;
  /** Everything in the format of Prometheus. */
  text(): Promise<string>;
  contentType: string;
}

interface MetricsDeps {
  version: string;
  role: string;
  /** Undefined when they cannot be had now: they are then left out, and the rest is told. */
  jobs(): Promise<JobCounts | undefined>;
  pools(): readonly PoolState[];
}

export function createServerMetrics({ version, role, jobs, pools }: MetricsDeps): ServerMetrics {
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
    ...{
      name: "mem_events_stored_total",
      help: "Events stored, whichever way they came over HTTP, repeats left out.",
      registers,
    },
  });
  return {
    generation: addGeneration(registry),
    answered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    stored: (count) => events.inc(count),
    watch: (sources) => addSources(registry, sources),
    watchVectors: (sources) => addVectors(registry, sources),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function addJobs(registry: Registry, jobs: MetricsDeps["jobs"]): void {
  const registers = [registry];
  new Gauge({
    ...{ name: "mem_jobs", help: "Generation jobs of all teams that are not completed.", registers },
    labelNames: ["status"],
    async collect() {
      this.reset();
      const counts = await jobs();
      if (counts === undefined) return;
      for (const status of ["queued", "processing", "failed", "cancelled"] as const)
        this.set({ status }, counts[status]);
    },
  });
  new Gauge({
    ...{ name: "mem_jobs_oldest_queued_seconds", help: "Age of the oldest queued job.", registers },
    async collect() {
      const counts = await jobs();
      // Removed, since a reset would say that nothing waits.
      if (counts === undefined) this.remove();
      else this.set(counts.oldest_queued_seconds);
    },
  });
}

function addPools(registry: Registry, pools: MetricsDeps["pools"]): void {
  const registers = [registry];
  new Gauge({
    ...{ name: "mem_database_connections", help: "Open connections to the database.", registers },
    labelNames: ["pool", "state"],
    collect() {
      for (const { pool, open, idle } of pools()) {
        this.set({ pool, state: "used" }, open - idle);
        this.set({ pool, state: "idle" }, idle);
      }
    },
  });
  new Gauge({
    ...{ name: "mem_database_waiting", help: "Statements that wait for a connection.", registers },
    labelNames: ["pool"],
    collect() {
      for (const { pool, waiting } of pools()) this.set({ pool }, waiting);
    },
  });
}

function addGeneration(registry: Registry): GenerationWatch {
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
    ...{ name: "mem_generation_batches_total", help: "Batches of jobs that came to an end.", registers },
    labelNames: ["outcome"],
  });
  return {
    called({ provider, outcome, input_tokens, output_tokens }) {
      calls.inc({ provider, outcome });
      tokens.inc({ provider, direction: "input" }, input_tokens);
      tokens.inc({ provider, direction: "output" }, output_tokens);
    },
    worked: (outcome) => batches.inc({ outcome }),
  };
}

function addSources(registry: Registry, sources: MetricSources): void {
  const { authentication, guardsSkipped, usageLost, auditLost } = sources;
  new Counter({
    name: "mem_authentication_failures_total",
    help: "Requests without a valid key, refused for too many of them, or not checked as the database did not answer.",
    registers: [registry],
    labelNames: ["reason"],
    collect() {
      const { refused, limited, lookup_failures } = authentication();
      this.reset();
      this.inc({ reason: "refused" }, refused);
      this.inc({ reason: "limited" }, limited);
      this.inc({ reason: "unavailable" }, lookup_failures);
    },
  });
  for (const [name, help, total] of [
    ["mem_guards_skipped_total", "Requests that passed the limits uncounted.", guardsSkipped],
    ["mem_usage_lost_total", "Requests that were not metered.", usageLost],
    ["mem_audit_lost_total", "Reads that were not written to the audit log.", auditLost],
  ] as const) {
    new Counter({
      ...{ name, help, registers: [registry] },
      collect() {
        this.reset();
        this.inc(total());
      },
    });
  }
}
