// Settings: each value with its origin and meaning, and the command that changes it.
import { useState } from "preact/hooks";
import { Shown, useLoaded } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { useValue } from "../observable.ts";
import { Command } from "../parts/command.tsx";
import { ProjectFilter } from "../parts/project-filter.tsx";
import { ThemeSwitch } from "../parts/theme.tsx";
import { useViewer } from "../viewer.ts";

type Setting = Reads["/api/settings/list"]["settings"][number];

export function SettingsPage() {
  const { api } = useViewer();
  const loaded = useLoaded((signal) => api.get("/api/settings/list", {}, signal), []);
  return (
    <div class="page">
      <h1>Settings</h1>
      <ViewerSettings />
      <section aria-labelledby="worker-settings">
        <h2 id="worker-settings">Worker</h2>
        <p class="quiet">A page cannot change these: each one shows its command.</p>
        <Shown of={loaded}>{({ settings }) => <SettingsList settings={settings} />}</Shown>
      </section>
    </div>
  );
}

function ViewerSettings() {
  const viewer = useViewer();
  const isOpen = useValue(viewer.sidebarOpen);
  return (
    <section class="panel viewer-settings" aria-labelledby="viewer-settings">
      <h2 id="viewer-settings">Viewer</h2>
      <ProjectFilter />
      <label class="check">
        <input type="checkbox" checked={isOpen} onChange={viewer.toggleSidebar} />
        Show the sidebar
      </label>
      <ThemeSwitch name="settings-theme" />
    </section>
  );
}

function SettingsList({ settings }: { settings: readonly Setting[] }) {
  const [words, setWords] = useState("");
  const [isChangedOnly, setIsChangedOnly] = useState(false);
  const shown = settings.filter(
    (setting) => fits(setting, words) && (!isChangedOnly || setting.origin !== "default"),
  );
  const changed = settings.filter(({ origin }) => origin !== "default").length;
  return (
    <>
      <div class="settings-filter">
        <label class="field">
          Find a setting
          <input
            type="search"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isChangedOnly}
            onChange={(event) => setIsChangedOnly(event.currentTarget.checked)}
          />
          Only changed ({changed})
        </label>
      </div>
      {shown.length === 0 ? (
        <p class="empty quiet">No setting fits.</p>
      ) : (
        topicsOf(shown).map(({ topic, settings: own }, at) => (
          <section key={topic} aria-labelledby={`settings-${at}`} class="settings-topic">
            <h3 id={`settings-${at}`}>{topic}</h3>
            <ul class="panel">
              {own.map((setting) => (
                <li key={setting.name} class="panel-row">
                  <SettingRow setting={setting} />
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
    </>
  );
}

/** Topics in their order, by the names of their settings; the last one has the rest. */
const topics: readonly (readonly [topic: string, names: RegExp])[] = [
  ["Model and providers", /^(MEM_(MODEL|PROVIDER|PRIMARY_|SECONDARY_|COMPAT_|GENERATION_)|HOST_CLI_PATH)/],
  ["Spending", /_TOKEN_BUDGET$(?<!CONTEXT_TOKEN_BUDGET)/],
  ["Injected context", /^MEM_(FOLDER_)?CONTEXT_/],
  ["What is recorded", /^MEM_(MODE|SKIP_TOOLS|RAW_RETENTION_DAYS)$/],
  ["Search by meaning", /^MEM_(VECTOR|EMBED)/],
  ["Worker and TV", /^MEM_(WORKER_|TV_|DATA_DIR|LOG_)/],
  ["Sync", /^MEM_CLOUD_SYNC_/],
  ["Other", /^/],
];

function topicsOf(settings: readonly Setting[]): { topic: string; settings: Setting[] }[] {
  const topicOf = ({ name }: Setting) => topics.find(([, names]) => names.test(name))?.[0];
  return topics
    .map(([topic]) => ({ topic, settings: settings.filter((setting) => topicOf(setting) === topic) }))
    .filter((each) => each.settings.length > 0);
}

const originWords: Readonly<Record<Setting["origin"], string>> = {
  default: "default",
  file: "settings.json",
  environment: "environment",
};

function SettingRow({ setting }: { setting: Setting }) {
  const { name, value, origin, meaning, accepts, effect, isSecret, command } = setting;
  return (
    <div class="setting">
      <p class="setting-head">
        <code class="setting-name">{name}</code>
        <code class={isSecret ? "setting-value quiet" : "setting-value"}>{valueInWords(setting)}</code>
        <span class={origin === "default" ? "quiet" : "mark rule"}>{originWords[origin]}</span>
        {origin !== "default" && !isSecret && setting.default !== value && (
          <span class="quiet">default {setting.default === "" ? "empty" : setting.default}</span>
        )}
      </p>
      <p>{meaning}</p>
      <p class="quiet">Accepts {accepts}.</p>
      <Command text={effect === "restart" ? `${command} && mem worker restart` : command} />
      {origin === "environment" && (
        <p class="quiet">The environment wins over the file: change it where the worker is started.</p>
      )}
    </div>
  );
}

function valueInWords({ value, isSecret }: Setting): string {
  if (isSecret) return value === "" ? "not set" : "set, hidden";
  return value === "" ? "empty" : value;
}

function fits({ name, meaning, value, isSecret }: Setting, words: string): boolean {
  const text = `${name} ${meaning} ${isSecret ? "" : value}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
