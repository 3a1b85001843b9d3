// How the user's host CLI is logged in, by its environment and settings: decides the advice after a refusal.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { failOpenSync } from "../../core/errors.ts";
import type { Environment } from "../../settings/environment.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";

/** `login`: by `claude /login`, or not at all; `token`: by `claude setup-token`; `helper`: a command prints its key. */
export type HostLogin = "login" | "token" | "api-key" | "helper" | "gateway" | "cloud";

/** In the CLI's own order of precedence. Reads its settings file. */
export function hostLogin(env: Environment): HostLogin {
  const { apiKeyHelper, env: set } = hostSettings(env);
  const has = (name: string): boolean => {
    const own = isJsonObject(set) ? set[name] : undefined;
    return ![undefined, null, "", "0", "false"].some((no) => no === (env[name] || own));
  };
  if (clouds.some(has)) return "cloud";
  if (has("ANTHROPIC_AUTH_TOKEN") || (has("ANTHROPIC_BASE_URL") && has("ANTHROPIC_API_KEY")))
    return "gateway";
  if (has("ANTHROPIC_API_KEY")) return "api-key";
  if (typeof apiKeyHelper === "string" && apiKeyHelper !== "") return "helper";
  return has("CLAUDE_CODE_OAUTH_TOKEN") ? "token" : "login";
}

const clouds = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

function hostSettings(env: Environment): JsonObject {
  const folder = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
  const path = join(folder, "settings.json");
  if (!existsSync(path)) return {};
  const settings = failOpenSync("reading the host's settings", (): unknown =>
    JSON.parse(readFileSync(path, "utf8")),
  );
  return isJsonObject(settings) ? settings : {};
}
