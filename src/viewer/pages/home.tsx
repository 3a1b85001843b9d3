// Home: what the agent knows and what happened, the newest first.
import { useState } from "preact/hooks";
import { Fault, isSettled } from "../answer.tsx";
import type { Feed } from "../feed.ts";
import { useValue } from "../observable.ts";
import { RecordRow } from "../parts/record-row.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useViewer } from "../viewer.ts";
import { OpenWorkSection, useOpenWork } from "./open-work.tsx";
import { RulesSection, useRules } from "./rules.tsx";

export function HomePage() {
  const viewer = useViewer();
  const project = useValue(viewer.project);
  return (
    <div class="page">
      <h1 dir="auto">{project ?? "All projects"}</h1>
      <Overview key={project} project={project} />
    </div>
  );
}

function Overview({ project }: { project: string | null }) {
  const rules = useRules(project);
  const openWork = useOpenWork(project);
  // Read meanwhile.
  const feed = useViewer().feedOf(project);
  function retry(): void {
    rules.reload();
    openWork.reload();
    void feed.refresh();
  }
  // Otherwise the feed would jump down when the panels above it come in.
  if (!isSettled(rules) || !isSettled(openWork)) return <p class="quiet loading">Loading…</p>;
  // One reason, not three times the same.
  if (rules.value === undefined && openWork.value === undefined && rules.fault)
    return <Fault fault={rules.fault} retry={retry} />;
  return (
    <>
      <div class="panels">
        <RulesSection project={project} loaded={rules} />
        <OpenWorkSection project={project} loaded={openWork} />
      </div>
      <LiveFeed project={project} feed={feed} />
    </>
  );
}

function LiveFeed({ project, feed }: { project: string | null; feed: Feed }) {
  const [unseen, setUnseen] = useState(0);
  const { lines, hasMore, isLoading, fault } = useValue(feed.state);
  return (
    <section aria-labelledby="feed-title" class="feed">
      <h2 id="feed-title">What happened</h2>
      {unseen > 0 && (
        <button type="button" class="pill" onClick={scrollToTop}>
          {unseen} new
        </button>
      )}
      {fault && <Fault fault={fault} retry={() => void feed.refresh()} />}
      <VirtualList
        items={lines}
        keyOf={({ key }) => key}
        row={(line) => <RecordRow line={line} showProject={project === null} />}
        label="Records, newest first"
        onEnd={feed.more}
        onShown={feed.shows}
        onUnseen={setUnseen}
      />
      {isLoading && <p class="quiet loading">Loading…</p>}
      {!isLoading && !hasMore && lines.length === 0 && <Empty />}
    </section>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>Nothing is remembered here yet.</p>
      <p class="quiet">
        Records appear here while your agent works. To see an example, run <code>mem demo</code>; to connect
        an agent, <code>mem install</code>.
      </p>
    </div>
  );
}

function scrollToTop(): void {
  document.querySelector("main")?.scrollTo({ top: 0 });
}
