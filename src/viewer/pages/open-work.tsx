// The section of Home with open work: what the next session is reminded of.
import { editRecord, removeEntry } from "../actions.ts";
import { type Loaded, Shown, useLoaded, useReloadOn } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { unmergedBranch } from "../lines.ts";
import { linkTo } from "../links.ts";
import { FoldedList } from "../parts/folded-list.tsx";
import { PanelEntry } from "../parts/panel-entry.tsx";
import { Age, BranchMark } from "../parts/record-row.tsx";
import { useViewer } from "../viewer.ts";

/** Open work of a project, or of all. */
export function useOpenWork(project: string | null): Loaded<Reads["/api/open-work"]> {
  const { api } = useViewer();
  const query = { project: project ?? undefined };
  const loaded = useLoaded((signal) => api.get("/api/open-work", query, signal), [project]);
  useReloadOn(loaded.reload, ({ type }) => type.startsWith("observation_") || type.startsWith("record_"));
  return loaded;
}

interface SectionProps {
  project: string | null;
  loaded: Loaded<Reads["/api/open-work"]>;
}

export function OpenWorkSection({ project, loaded }: SectionProps) {
  const { api } = useViewer();
  return (
    <section aria-labelledby="open-title" class="panel">
      <div class="panel-head">
        <h2 id="open-title">Open work</h2>
      </div>
      <Shown of={loaded}>
        {({ items }) => (
          <FoldedList
            items={items}
            keyOf={({ id }) => id}
            empty="Nothing is open. Next steps that a session leaves appear here."
            row={(item, place) => (
              <PanelEntry
                id={item.id}
                name="Open work"
                text={item.text}
                place={place}
                writings={[
                  {
                    name: "Edit",
                    label: "Edit the open work",
                    save: (written) => editRecord(api, "observation", item.id, { text: written }),
                  },
                ]}
                remove={() => removeEntry(api, "Open work", item.id)}
              >
                {project === null && (
                  <span class="project" dir="auto">
                    {item.project}
                  </span>
                )}
                <BranchMark branch={unmergedBranch(item)} />
                <Age at={item.created_at_epoch} />
                {item.session_id !== null && <a href={linkTo(`/session/${item.session_id}`)}>its session</a>}
              </PanelEntry>
            )}
          />
        )}
      </Shown>
    </section>
  );
}
