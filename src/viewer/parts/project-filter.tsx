// The project whose records are shown. The choice is stored by the worker.
import { linkTo } from "../links.ts";
import { go, presentPlace } from "../location.ts";
import { useValue } from "../observable.ts";
import { useViewer } from "../viewer.ts";

export function ProjectFilter() {
  const viewer = useViewer();
  const project = useValue(viewer.project);
  function choose({ currentTarget: select }: { currentTarget: HTMLSelectElement }): void {
    const chosen = select.value || null;
    // Until it is chosen: text that is not saved may keep the present project.
    select.value = project ?? "";
    viewer.chooseProject(chosen);
    // A project that a link named has been left.
    const { path, query } = presentPlace();
    const { project: named, ...rest } = Object.fromEntries(query);
    if (named !== undefined && path !== "/context") go(linkTo(path, rest), { replace: true });
  }
  return (
    <label class="field project-filter">
      Project
      <select value={project ?? ""} dir="auto" onChange={choose}>
        <option value="">All projects</option>
        <ProjectOptions chosen={project} />
      </select>
    </label>
  );
}

/** An option for each known project, and for the chosen one, which may have no record any more. */
export function ProjectOptions({ chosen }: { chosen: string | null }) {
  const projects = useValue(useViewer().projects);
  const names = chosen === null || projects.includes(chosen) ? projects : [chosen, ...projects];
  return (
    <>
      {names.map((name) => (
        <option key={name} value={name} dir="auto">
          {name}
        </option>
      ))}
    </>
  );
}
