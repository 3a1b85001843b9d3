// Changes a setting: checks it against the table, then writes it atomically.
import { BlockList, isIP, isIPv6 } from "node:net";
import { MemError } from "../core/errors.ts";
import { changeSettingsFile } from "./settings-file.ts";
import { definitionOf, isSettingKey, parseSetting, type SettingKey, settingKeys } from "./table.ts";

/** The key in the table for `name` in any case. Throws `setting_unknown` with the nearest name. */
export function settingKey(name: string): SettingKey {
  const upper = name.toUpperCase();
  for (const candidate of [upper, `MEM_${upper}`]) if (isSettingKey(candidate)) return candidate;
  const near = settingKeys.filter((key) => key.includes(upper.replace(/^MEM_/, ""))).slice(0, 3);
  throw new MemError("setting_unknown", {
    message: `There is no setting ${name}.`,
    ...(near.length === 0 ? {} : { hint: `Did you mean ${near.join(" or ")}?` }),
  });
}

/** Writes one setting. Throws `setting_invalid` with what it accepts, and `settings_unreadable`. */
export function setSetting(dataDir: string, key: SettingKey, text: string): void {
  if (key === "MEM_DATA_DIR") {
    throw new MemError("setting_invalid", {
      message: "MEM_DATA_DIR cannot be set in settings.json: mem finds that file in the data directory.",
      hint: "Set it in the environment: `export MEM_DATA_DIR=...`, for the host agents too.",
    });
  }
  const parsed = parseSetting(key, text);
  if (!parsed.ok) throw new MemError("setting_invalid", { message: `${key}: ${parsed.problem}.` });
  if (key === "MEM_COMPAT_BASE_URL") refuseLinkLocal(key, text.trim());
  changeSettingsFile(dataDir, { [key]: storedText(key, text, parsed.value) });
}

// Only refused here: in the file, an invalid value would be replaced by the default, another server.
function refuseLinkLocal(key: SettingKey, text: string): void {
  if (text === "" || !isLinkLocal(new URL(text).hostname)) return;
  throw new MemError("setting_invalid", {
    message: `${key}: ${new URL(text).host} is a link-local address, which no model server has.`,
    hint: "A server on this machine is at http://127.0.0.1:<port>, one in your network at its private address.",
  });
}

// Canonical spelling: `yes` becomes true, and `debug` DEBUG.
function storedText(key: SettingKey, text: string, value: unknown): string {
  const { kind } = definitionOf(key);
  return kind === "enum" || kind === "boolean" || kind === "integer" ? String(value) : text.trim();
}

/** Puts one setting back to its default. */
export function resetSetting(dataDir: string, key: SettingKey): void {
  changeSettingsFile(dataDir, { [key]: definitionOf(key).default });
}

/** True for a link-local address as an URL has it, brackets and an IPv4 address inside an IPv6 one included. */
function isLinkLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && linkLocal.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");
