// Charts of the last 30 days: records made, tokens injected, tokens of models.
import { Shown, useLoaded } from "../answer.tsx";
import { useNow } from "../clock.ts";
import { DayChart } from "../parts/chart.tsx";
import { useViewer } from "../viewer.ts";

const hourMs = 3_600_000;

export function ActivityCharts({ project }: { project: string | null }) {
  const { api } = useViewer();
  const hour = Math.floor(useNow() / hourMs);
  const loaded = useLoaded(
    (signal) => api.get("/api/activity", { days: 30, project: project ?? "" }, signal),
    [project, hour],
  );
  return (
    <section class="charts" aria-labelledby="activity-title">
      <h2 id="activity-title">
        Last 30 days
        {project !== null && (
          <>
            {" "}
            in <bdi>{project}</bdi>
          </>
        )}
      </h2>
      <Shown of={loaded}>
        {({ days }) => (
          <>
            <DayChart
              title="Records"
              unit="record"
              series={["observations", "summaries", "prompts"]}
              bars={days.map(({ day, observations, summaries, prompts }) => ({
                day,
                values: [observations, summaries, prompts],
              }))}
            />
            <DayChart
              title="Tokens injected"
              unit="token"
              series={["injected"]}
              bars={days.map(({ day, injected_tokens }) => ({ day, values: [injected_tokens] }))}
            />
            <DayChart
              title="Tokens used by the model"
              unit="token"
              series={["model"]}
              bars={days.map(({ day, model_tokens }) => ({ day, values: [model_tokens] }))}
            />
          </>
        )}
      </Shown>
    </section>
  );
}
