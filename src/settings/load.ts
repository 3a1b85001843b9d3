// The settings in effect: defaults, then settings.json, then the environment.
import { existsSync } from "node:fs";
import { type DataPaths, dataPaths } from "../core/paths.ts";
import type { JsonObject } from "../text/json.ts";
import { dataDirectory, defaultDataDirectory, ownDirectory } from "./data-dir.ts";
import { type Environment, processEnvironment } from "./environment.ts";
import { createSettingsFile, readSettingsFile } from "./settings-file.ts";
import {
  definitionOf,
  parseSetting,
  type SettingKey,
  type SettingValue,
  settingKeys,
  settingsTable,
} from "./table.ts";

/** Where a value came from; a value in the file that equals the default counts as the default. */
export type SettingSource = "default" | "file" | "environment";

export interface LoadedSettings {
  readonly dataDir: string;
  readonly paths: DataPaths;
  /** One sentence per invalid value that was replaced by the default. For the log, once. */
  readonly warnings: readonly string[];
  /** The problems of invalid values, for callers that refuse the default. */
  readonly misread: ReadonlyMap<SettingKey, string>;
  get<K extends SettingKey>(key: K): SettingValue<K>;
  source(key: SettingKey): SettingSource;
  /** The text in effect as settings.json has it. Secrets in clear: for `GET /api/settings` and `--reveal` only. */
  reveal(key: SettingKey): string;
}

interface LoadOptions {
  /** Default: `MEM_DATA_DIR`, else `~/.mem`. */
  dataDir?: string;
  env?: Environment;
  /** True leaves the disk alone: a missing settings.json stays missing. */
  readOnly?: boolean;
}

/**
 * Loads the settings of a data directory and, unless `readOnly`, makes directory and settings.json on the first run.
 * An invalid value is a warning and the default. Throws `settings_unreadable` and `data_dir_unusable`.
 */
export function loadSettings(options: LoadOptions = {}): LoadedSettings {
  const environment = options.env ?? processEnvironment();
  const dataDir = options.dataDir ?? dataDirectory(environment);
  if (options.readOnly !== true) createSettingsFile(dataDir);
  else if (existsSync(dataDir)) ownDirectory(dataDir);
  const file = readSettingsFile(dataDir) ?? {};
  const warnings: string[] = [];
  const misread = new Map<SettingKey, string>();
  const effective = new Map<SettingKey, Effective>();
  for (const key of settingKeys) {
    effective.set(
      key,
      key === "MEM_DATA_DIR"
        ? fixedDataDir(dataDir, file, warnings)
        : resolve(key, file, environment, misread),
    );
  }
  for (const [key, problem] of misread) {
    warnings.push(`${key} in ${problem}. The default is used${shown(key, definitionOf(key).default)}.`);
  }
  return loaded(dataDir, effective, { warnings, misread });
}

interface Effective {
  text: string;
  source: SettingSource;
  value: unknown;
}

function resolve(
  key: SettingKey,
  file: JsonObject,
  environment: Environment,
  misread: Map<SettingKey, string>,
): Effective {
  const fallback = definitionOf(key).default;
  for (const { text, source, where } of candidates(key, file, environment)) {
    const parsed = parseSetting(key, text);
    if (parsed.ok) return { text, source: text === fallback ? "default" : source, value: parsed.value };
    misread.set(key, `${where}: ${parsed.problem}`);
    break;
  }
  const parsed = parseSetting(key, fallback);
  return { text: fallback, source: "default", value: parsed.ok ? parsed.value : undefined };
}

function shown(key: SettingKey, fallback: string): string {
  return settingsTable[key].kind === "secret" || fallback === "" ? "" : `: ${fallback}`;
}

interface Candidate {
  text: string;
  source: SettingSource;
  where: string;
}

// Shells and unit files use an empty variable for "not set": a blank one must not turn off a token of the file.
function candidates(key: SettingKey, file: JsonObject, environment: Environment): Candidate[] {
  const found: Candidate[] = [];
  const variable = environment[key]?.trim() ?? "";
  if (variable !== "") found.push({ text: variable, source: "environment", where: "the environment" });
  const entry = Object.hasOwn(file, key) ? file[key] : undefined;
  if (entry !== undefined && entry !== null) {
    const text = typeof entry === "object" ? JSON.stringify(entry) : String(entry);
    found.push({ text, source: "file", where: "settings.json" });
  }
  return found;
}

// The file is inside the data directory, so it cannot set it; the environment does.
function fixedDataDir(dataDir: string, file: JsonObject, warnings: string[]): Effective {
  const named = file.MEM_DATA_DIR;
  if (typeof named === "string" && named !== "" && named !== definitionOf("MEM_DATA_DIR").default) {
    const parsed = parseSetting("MEM_DATA_DIR", named);
    if (!parsed.ok || dataPaths(parsed.value).root !== dataPaths(dataDir).root) {
      warnings.push(
        `MEM_DATA_DIR in settings.json has no effect: set it in the environment. ${dataDir} is used.`,
      );
    }
  }
  const isDefault = dataDir === defaultDataDirectory();
  return { text: dataDir, source: isDefault ? "default" : "environment", value: dataDir };
}

function loaded(
  dataDir: string,
  effective: ReadonlyMap<SettingKey, Effective>,
  wrong: Pick<LoadedSettings, "warnings" | "misread">,
): LoadedSettings {
  const at = (key: SettingKey): Effective => {
    const entry = effective.get(key);
    if (entry === undefined) throw new TypeError(`No setting ${key}`);
    return entry;
  };
  return {
    dataDir,
    paths: dataPaths(dataDir),
    ...wrong,
    // The value was parsed by this key's own definition.
    get: <K extends SettingKey>(key: K) => at(key).value as SettingValue<K>,
    source: (key) => at(key).source,
    reveal: (key) => at(key).text,
  };
}
