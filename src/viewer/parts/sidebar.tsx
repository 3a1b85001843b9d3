// The sidebar: pages, and the project whose records are shown.
import { linkTo, type Place } from "../links.ts";
import { routes } from "../routes.ts";
import { ProjectFilter } from "./project-filter.tsx";
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
