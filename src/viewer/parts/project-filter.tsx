// The project whose records are shown. The choice is stored by the worker.
import { useValue } from "../observable.ts";
import { useViewer } from "../viewer.ts";

export function ProjectFilter() {
  const viewer = useViewer();
  const projects = useValue(viewer.projects);
  const project = useValue(viewer.project);
  // A chosen project may have no record any more.
  const names = project === null || projects.includes(project) ? projects : [project, ...projects];
  return (
    <label class="field project-filter">
      Project
      <select
        value={project ?? ""}
        onChange={(event) => viewer.chooseProject(event.currentTarget.value || null)}
      >
        <option value="">All projects</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
