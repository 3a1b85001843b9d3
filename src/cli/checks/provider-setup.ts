// What the configured provider needs, and what of it is missing.
import { MemError } from "../../core/errors.ts";
import { isModelForAnotherServer } from "../../settings/compat-model.ts";
import { loadGatewayCredentials } from "../../settings/env-file.ts";
import type { Environment } from "../../settings/environment.ts";
import { findExecutable, isExecutable } from "../../settings/executable.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { homePath } from "../words.ts";

export interface ProviderSetup {
  /** How it is paid for; null where nothing is known. */
  how: string | null;
  lacks: Lack | null;
  /** A configuration that is probably wrong. */
  doubt?: Pick<Lack, "what" | "next">;
}

interface Lack {
  /** What is missing, as the end of a sentence. */
  what: string;
  /** The user's step. */
  next: string;
  /** Missing in this shell only: the worker may have it from another one. */
  onlyHere?: true;
}

/** Checks the same things that the worker checks when it starts. */
export function providerSetup(settings: LoadedSettings, env: Environment): ProviderSetup {
  const provider = settings.get("MEM_PROVIDER");
  switch (provider) {
    case "local":
      return { how: "without a model", lacks: null };
    case "primary":
      return primarySetup(settings, env);
    case "secondary":
      return {
        how: "with its key",
        lacks: settings.get("MEM_SECONDARY_API_KEY").isSet ? null : noKey("MEM_SECONDARY_API_KEY"),
      };
    case "compat":
      return compatSetup(settings);
    default:
      return provider satisfies never;
  }
}

function noKey(key: string): Lack {
  return { what: `it has no key, ${key} is not set`, next: `mem settings set ${key} <key> && ${restart}` };
}

const restart = "mem worker restart";

function compatSetup(settings: LoadedSettings): ProviderSetup {
  // Your own server may need no key; the public one does.
  if (settings.get("MEM_COMPAT_BASE_URL") !== "") {
    const own = { how: "at an address of your own", lacks: null };
    return isModelForAnotherServer(settings) ? { ...own, doubt: modelDoubt(settings) } : own;
  }
  if (settings.get("MEM_COMPAT_API_KEY").isSet) return { how: "with its key", lacks: null };
  return {
    how: null,
    lacks: {
      what: "it has neither a key (MEM_COMPAT_API_KEY) nor a server of your own (MEM_COMPAT_BASE_URL)",
      next: `Run \`mem settings set MEM_COMPAT_API_KEY <key> && ${restart}\`, or the same with MEM_COMPAT_BASE_URL <address>.`,
    },
  };
}

function modelDoubt(settings: LoadedSettings): NonNullable<ProviderSetup["doubt"]> {
  return {
    what: `MEM_COMPAT_MODEL is still ${settings.get("MEM_COMPAT_MODEL")}, which your own server probably does not have`,
    next: `mem settings set MEM_COMPAT_MODEL <model> && ${restart}`,
  };
}

function primarySetup(settings: LoadedSettings, env: Environment): ProviderSetup {
  const method = settings.get("MEM_PRIMARY_AUTH_METHOD");
  switch (method) {
    case "subscription":
      return { how: "by your subscription", lacks: lackOfCommand(settings.get("HOST_CLI_PATH"), env) };
    case "api-key":
      return { how: "with an API key", lacks: lackInDotEnv(settings, "LLM_API_KEY") };
    case "gateway":
      return { how: "through a gateway", lacks: lackInDotEnv(settings, "LLM_BASE_URL") };
    default:
      return method satisfies never;
  }
}

function lackOfCommand(path: string, env: Environment): Lack | null {
  if (path === "") {
    if (findExecutable(env, "claude") !== null) return null;
    return {
      what: "there is no command `claude` on PATH",
      next: `Install Claude Code and log in, or name its command: \`mem settings set HOST_CLI_PATH <path> && ${restart}\`.`,
      onlyHere: true,
    };
  }
  if (isExecutable(path)) return null;
  return {
    what: `HOST_CLI_PATH is ${homePath(path)}, which is not an executable file`,
    next: `mem settings set HOST_CLI_PATH <path of claude> && ${restart}`,
  };
}

const missingInDotEnv = {
  LLM_API_KEY: { what: "it has no key", value: "key" },
  LLM_BASE_URL: { what: "the gateway has no address", value: "address" },
} as const;

function lackInDotEnv({ paths }: LoadedSettings, variable: keyof typeof missingInDotEnv): Lack | null {
  const file = homePath(paths.dotEnv);
  try {
    const { apiKey, baseUrl } = loadGatewayCredentials(paths.dotEnv);
    if (variable === "LLM_API_KEY" ? apiKey.isSet : baseUrl !== "") return null;
  } catch (error) {
    if (!(error instanceof MemError)) throw error;
    return { what: error.message.replace(/\.$/, ""), next: `Fix ${file}, then \`${restart}\`.` };
  }
  const { what, value } = missingInDotEnv[variable];
  return {
    what: `${what}, ${variable} is not in ${file}`,
    next: `Write ${variable}=<${value}> to ${file}, then \`${restart}\`.`,
  };
}
