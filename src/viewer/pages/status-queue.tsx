// Failed messages of the queue: why each failed, retry and drop.
import { counted, durationInWords } from "../../text/quantities.ts";
import { Fault } from "../answer.tsx";
import { usePaged } from "../paged.ts";
import { useViewer } from "../viewer.ts";

export function FailedMessages({ onChanged }: { onChanged: () => void }) {
  const viewer = useViewer();
  const { api } = viewer;
  const failed = usePaged(
    (page, signal) => api.get("/api/queue", { ...page, status: "dead" }, signal),
    [],
    50,
  );
  const done = () => {
    failed.reload();
    onChanged();
  };
  async function retry(ids?: number[]): Promise<void> {
    await viewer.act(async () => {
      const answer = await api.post("/api/queue/retry", ids === undefined ? { failed: true } : { ids });
      return { text: `${counted(answer.retried, "message")} will be tried again.` };
    });
    done();
  }
  async function drop(ids: number[]): Promise<void> {
    await viewer.act(async () => {
      const { dropped } = await api.post("/api/queue/drop", { ids });
      return { text: `${counted(dropped, "message")} dropped.` };
    });
    done();
  }
  return (
    <section class="panel" aria-labelledby="failed-title">
      <div class="panel-head">
        <h2 id="failed-title">Failed messages</h2>
        <button type="button" onClick={() => void retry()}>
          Retry all
        </button>
      </div>
      {failed.fault && <Fault fault={failed.fault} retry={failed.reload} />}
      <ul>
        {failed.items.map(({ id, kind, tool_name, project, failures, last_error, ageMs }) => (
          <li key={id} class="panel-row failed-row">
            <p>
              {kind === "summarize" ? "Summary" : (tool_name ?? "Tool use")} in {project}
            </p>
            <p class="row-detail">
              <span>message {id}</span>
              <span>{durationInWords(ageMs)} old</span>
              <span>failed {counted(failures, "time")}</span>
              {last_error !== null && <span>{last_error}</span>}
            </p>
            <div class="row-actions">
              <button
                type="button"
                class="link"
                aria-label={`Retry message ${id}`}
                onClick={() => void retry([id])}
              >
                Retry
              </button>
              <button
                type="button"
                class="link"
                aria-label={`Drop message ${id} for good`}
                onClick={() => void drop([id])}
              >
                Drop for good
              </button>
            </div>
          </li>
        ))}
      </ul>
      {failed.hasMore && (
        <button type="button" class="link" onClick={failed.more}>
          Show more
        </button>
      )}
    </section>
  );
}
