// Status: what works, what does not, and the command that fixes it; activity and tokens of the last 30 days.
import { isSettled, Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Api } from "../api.ts";
import { clockTime, useNow } from "../clock.ts";
import { useValue } from "../observable.ts";
import { Command, Prose } from "../parts/command.tsx";
import { useViewer } from "../viewer.ts";
import { ActivityCharts } from "./status-charts.tsx";
import { type Check, type CheckState, checksOf, isBad, type StatusAnswers } from "./status-checks.ts";
import { FailedMessages } from "./status-queue.tsx";
import { VersionSection } from "./status-version.tsx";

interface Status extends StatusAnswers {
  readAt: number;
}

export function StatusPage() {
  const { api, stream, project: chosen } = useViewer();
  const project = useValue(chosen);
  const now = useNow();
  const isLive = useValue(stream.state) === "live";
  const loaded = useLoaded((signal) => readStatus(api, now, signal), [now]);
  useReloadOn(loaded.reload, ({ type }) => type === "processing_status");
  const branch = useLoaded((signal) => api.get("/api/branch/status", {}, signal), []);
  return (
    <div class="page">
      <h1>Status</h1>
      <Shown of={loaded}>
        {(status) => {
          const checks = checksOf(status, now);
          const isCurrent = isLive && loaded.fault === undefined;
          return (
            <>
              <Verdict
                checks={checks}
                notices={status.health.notices}
                readAt={status.readAt}
                isCurrent={isCurrent}
              />
              <Notices notices={status.health.notices} />
              <ul class="panel checks" aria-label="Checks">
                {[...checks.filter(isBad), ...checks.filter((each) => !isBad(each))].map((each) => (
                  <CheckRow key={each.name} check={isCurrent ? each : { ...each, state: "unknown" }} />
                ))}
              </ul>
              {status.health.queue.dead > 0 && <FailedMessages onChanged={loaded.reload} />}
            </>
          );
        }}
      </Shown>
      {loaded.value && <VersionSection loaded={branch} />}
      {loaded.value && isSettled(branch) && <ActivityCharts project={project} />}
    </div>
  );
}

async function readStatus(api: Api, readAt: number, signal: AbortSignal): Promise<Status> {
  const [health, stats, repair, sync, mcp, cost] = await Promise.all([
    api.get("/api/health", {}, signal),
    api.get("/api/stats", {}, signal),
    api.get("/api/maintenance/repair", {}, signal),
    api.get("/api/sync/status", {}, signal),
    api.get("/api/mcp/status", {}, signal),
    api.get("/api/cost", {}, signal),
  ]);
  return { health, stats, repair, sync, mcp, cost, readAt };
}

interface VerdictProps {
  checks: readonly Check[];
  notices: readonly string[];
  readAt: number;
  isCurrent: boolean;
}

function Verdict({ checks, notices, readAt, isCurrent }: VerdictProps) {
  const bad = checks.filter(isBad);
  const unknown = checks.filter(({ state }) => state === "unknown").map(({ name }) => name);
  if (!isCurrent)
    return (
      <p class="verdict unknown" role="status">
        <strong>Not known now.</strong> The worker does not answer. Below is the state of {clockTime(readAt)}.
        Start the worker: <Command text="mem worker start" />
      </p>
    );
  if (bad.length > 0)
    return (
      <p
        class={bad.some(({ state }) => state === "problem") ? "verdict problem" : "verdict attention"}
        role="status"
      >
        <strong>{bad.map(({ name }) => name).join(", ")}</strong> {bad.length === 1 ? "needs" : "need"}{" "}
        attention. <span class="quiet">Checked at {clockTime(readAt)}.</span>
      </p>
    );
  const rest = unknown.length === 0 ? "" : ` Nothing is known yet about ${unknown.join(" and ")}.`;
  return (
    <p class={notices.length > 0 ? "verdict attention" : "verdict ok"} role="status">
      <strong>{notices.length > 0 ? "Works, with notices." : "What was checked works."}</strong>
      {rest} <span class="quiet">Checked at {clockTime(readAt)}.</span>
    </p>
  );
}

function Notices({ notices }: { notices: readonly string[] }) {
  if (notices.length === 0) return null;
  return (
    <section class="panel notices" aria-labelledby="notices-title">
      <h2 id="notices-title" class="panel-row">
        Notices
      </h2>
      <ul>
        {notices.map((notice) => (
          <li key={notice} class="panel-row">
            <Prose text={notice} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const stateWords: Readonly<Record<CheckState, string>> = {
  ok: "OK",
  attention: "Attention",
  problem: "Problem",
  off: "Off",
  unknown: "Not known",
};

function CheckRow({ check: { name, state, words, details, commands } }: { check: Check }) {
  return (
    <li class={`panel-row check-row ${state}`}>
      <span class="check-state">
        <span class="check-sign" aria-hidden="true" />
        {stateWords[state]}
      </span>
      <div>
        <p>
          <strong>{name}</strong> <Prose text={words} />
        </p>
        {details.map((detail) => (
          <p key={detail} class="quiet">
            <Prose text={detail} />
          </p>
        ))}
        {commands.length > 0 && (
          <p class="check-commands">
            {commands.map((command) => (
              <Command key={command} text={command} />
            ))}
          </p>
        )}
      </div>
    </li>
  );
}
