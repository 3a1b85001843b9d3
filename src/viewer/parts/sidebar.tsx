// The sidebar: pages, and the project whose records are shown.
import { linkTo, type Place } from "../links.ts";
import { useValue } from "../observable.ts";
import { routes } from "../routes.ts";
import { useViewer } from "../viewer.ts";
import { ThemeSwitch } from "./theme.tsx";

export function Sidebar({ place }: { place: Place }) {
  return (
    <nav class="sidebar" aria-label="Pages">
      <a class="brand" href={linkTo("/")}>
        <span class="brand-mark" aria-hidden="true" />
        mem
      </a>
      <ul>
        {routes
          .filter(({ key }) => key !== undefined)
          .map(({ path, title, key }) => (
            <li key={path}>
              <a
                href={linkTo(path)}
                aria-keyshortcuts={`g ${key}`}
                aria-current={place.path === path ? "page" : undefined}
              >
                {title}
                <kbd>g {key}</kbd>
              </a>
            </li>
          ))}
      </ul>
      <ProjectFilter />
      <ThemeSwitch />
    </nav>
  );
}

function ProjectFilter() {
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
