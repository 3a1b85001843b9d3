// Light, dark, or as the system says. The choice stays in this browser.
import { useState } from "preact/hooks";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storageKey = "mem-theme";

/** Applies the stored choice. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = storedTheme();
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  function choose(chosen: Theme): void {
    localStorage.setItem(storageKey, chosen);
    applyTheme();
    setTheme(chosen);
  }
  return (
    <fieldset class="theme-switch">
      <legend>Theme</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
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
