// Home: what the agent knows and what happened, the newest first.
import { useState } from "preact/hooks";
import { Fault } from "../answer.tsx";
import { useValue } from "../observable.ts";
import { RecordRow } from "../parts/record-row.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useViewer } from "../viewer.ts";
import { OpenWorkSection } from "./open-work.tsx";
import { RulesSection } from "./rules.tsx";

export function HomePage() {
  const viewer = useViewer();
  const project = useValue(viewer.project);
  return (
    <div class="page">
      <h1>{project ?? "All projects"}</h1>
      <div class="panels">
        <RulesSection key={`rules ${project}`} project={project} />
        <OpenWorkSection key={`open ${project}`} project={project} />
      </div>
      <LiveFeed key={project} project={project} />
    </div>
  );
}

function LiveFeed({ project }: { project: string | null }) {
  const feed = useViewer().feedOf(project);
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
