// Light, dark, or as the system says. The choice stays in this browser.
import { createObservable, useValue } from "../observable.ts";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storageKey = "mem-theme";

const shown = createObservable<Theme>(storedTheme());

/** Applies the stored choice. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = shown.get();
}

/** `name` tells apart the radio buttons of two switches on a page. */
export function ThemeSwitch({ name = "theme" }: { name?: string }) {
  const theme = useValue(shown);
  function choose(chosen: Theme): void {
    localStorage.setItem(storageKey, chosen);
    shown.set(chosen);
    applyTheme();
  }
  return (
    <fieldset class="theme-switch">
      <legend>Theme</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === theme}
            onChange={() => choose(each)}
          />
          <span>{each}</span>
        </label>
      ))}
    </fieldset>
  );
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}
