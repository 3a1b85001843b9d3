// The user's next step during a pause of the provider, by provider and authentication.

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { failOpenSync } from "../core/errors.ts";
import { homePath } from "../core/paths.ts";
import type { GenerationPause, PauseFix } from "../core/records/generation-pause.ts";
import type { CircuitState } from "../generate/circuit-breaker.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";

interface Deps {
  settings: Pick<LoadedSettings, "get" | "paths">;
  env: Environment;
  localWrites(): boolean;
  isFallback(): boolean;
}

type Step = (deps: Pick<Deps, "settings" | "env">) => string | null;

/** The current pause with the user's next step; null when ready. */
export function describePause({ state, reason }: CircuitState, deps: Deps): GenerationPause | null {
  if (state === "ready" || reason === null) return null;
  const { kind, message, until, fix } = reason;
  const isFallback = deps.isFallback();
  return {
    ...{ kind, message, until },
    ...(fix === undefined ? {} : { fix }),
    ...(isFallback || deps.localWrites() ? { localWrites: true } : {}),
    ...(isFallback ? { isFallback } : {}),
    next: nextStep({ kind, fix }, deps),
  };
}

function nextStep({ kind, fix }: { kind: string; fix: PauseFix | undefined }, deps: Deps): string | null {
  if (kind === "auth") return fix === undefined ? null : stepOf[fix](deps);
  if (kind === "quota")
    return "Until then `mem settings set MEM_PROVIDER local && mem worker restart` writes without a model.";
  return null;
}

const stepOf: Readonly<Record<PauseFix, Step>> = {
  key: keyStep,
  address: addressStep,
  model: modelStep,
  command: () => setStep("HOST_CLI_PATH", "path"),
};

function keyStep({ settings, env }: Parameters<Step>[0]): string {
  const { get, paths } = settings;
  const provider = get("MEM_PROVIDER");
  switch (provider) {
    case "secondary":
      return setStep("MEM_SECONDARY_API_KEY", "key");
    case "compat":
      return setStep("MEM_COMPAT_API_KEY", "key");
    case "primary":
      break;
    case "local":
      return "See `mem doctor`.";
    default:
      return provider satisfies never;
  }
  switch (get("MEM_PRIMARY_AUTH_METHOD")) {
    case "subscription":
      return loginSteps[hostLogin(env)](homePath(paths.dotEnv));
    case "api-key":
      return `Put a valid LLM_API_KEY into ${homePath(paths.dotEnv)}, then run \`mem worker restart\`.`;
    default:
      return `Put a valid LLM_AUTH_TOKEN into ${homePath(paths.dotEnv)}, then run \`mem worker restart\`.`;
  }
}

const orLocal = "Or write without a model: `mem settings set MEM_PROVIDER local && mem worker restart`.";
const method = (name: string) => `\`mem settings set MEM_PRIMARY_AUTH_METHOD ${name} && mem worker restart\``;

// The host's command runs without its keys, so that the subscription pays; with a key it may have no login.
const loginSteps: Readonly<Record<HostLogin, (dotEnv: string) => string>> = {
  login: () => `Run \`claude /login\`; mem then continues by itself. ${orLocal}`,
  token: () =>
    `CLAUDE_CODE_OAUTH_TOKEN is refused: set the one that \`claude setup-token\` prints, then run \`mem worker restart\`. ${orLocal}`,
  "api-key": (dotEnv) =>
    `Claude Code has an API key here: put it into ${dotEnv} as LLM_API_KEY, then run ${method("api-key")}. ${orLocal}`,
  helper: (dotEnv) =>
    `Claude Code gets its key from an apiKeyHelper: put a key into ${dotEnv} as LLM_API_KEY, then run ${method("api-key")}. ${orLocal}`,
  gateway: (dotEnv) =>
    `Claude Code uses a gateway here: put its LLM_BASE_URL and LLM_AUTH_TOKEN into ${dotEnv}, then run ${method("gateway")}. ${orLocal}`,
  cloud: () => `Claude Code pays through a cloud here, which mem does not support. ${orLocal}`,
};

// The vendors' own addresses are fixed: no setting can correct them.
function addressStep({ settings: { get, paths } }: Parameters<Step>[0]): string | null {
  const provider = get("MEM_PROVIDER");
  if (provider === "compat") return setStep("MEM_COMPAT_BASE_URL", "address");
  if (provider !== "primary" || get("MEM_PRIMARY_AUTH_METHOD") !== "gateway") return null;
  return `Correct LLM_BASE_URL in ${homePath(paths.dotEnv)}, then run \`mem worker restart\`.`;
}

const modelSettings = {
  primary: "MEM_MODEL",
  secondary: "MEM_SECONDARY_MODEL",
  compat: "MEM_COMPAT_MODEL",
  local: null,
} as const;

function modelStep({ settings: { get } }: Parameters<Step>[0]): string | null {
  const setting = modelSettings[get("MEM_PROVIDER")];
  return setting === null ? null : setStep(setting, "model");
}

function setStep(setting: string, value: string): string {
  return `Run \`mem settings set ${setting} <${value}> && mem worker restart\`.`;
}

/** `login`: by `claude /login`, or not at all; `token`: by `claude setup-token`; `helper`: a command prints its key. */
type HostLogin = "login" | "token" | "api-key" | "helper" | "gateway" | "cloud";

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
