// The model client of the settings, or a warning why there is none.
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import { isModelForAnotherServer } from "../../settings/compat-model.ts";
import { type GatewayCredentials, loadGatewayCredentials } from "../../settings/env-file.ts";
import type { Environment } from "../../settings/environment.ts";
import { findExecutable } from "../../settings/executable.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { ModelClient } from "../model-client.ts";
import { ModelFailure } from "../model-failure.ts";
import { createCompatClient } from "../providers/compat.ts";
import { primaryModel } from "../providers/model-names.ts";
import { createPrimaryClient } from "../providers/primary.ts";
import { createSecondaryClient } from "../providers/secondary.ts";
import { createSubscriptionClient } from "../providers/subscription/client.ts";

interface ModelChoice {
  settings: LoadedSettings;
  env: Environment;
  clock: Clock;
  /** Called when the configured provider cannot be used. */
  warn(sentence: string): void;
}

/** Null for `local`, and when the configured provider lacks a key or a command. */
export function createChosenModel(choice: ModelChoice): ModelClient | null {
  try {
    return ofProvider(choice);
  } catch (error) {
    // With unreadable settings local rules still write.
    if (!(error instanceof MemError)) throw error;
    return notSetUp(choice.warn, error.message.replace(/\.$/, ""));
  }
}

function ofProvider(choice: ModelChoice): ModelClient | null {
  const { settings, warn } = choice;
  const provider = settings.get("MEM_PROVIDER");
  switch (provider) {
    case "local":
      return null;
    case "primary":
      return primary(choice);
    case "secondary":
      return secondary(choice) ?? notSetUp(warn, "MEM_SECONDARY_API_KEY is not set");
    case "compat":
      return compat(choice) ?? notSetUp(warn, "neither MEM_COMPAT_BASE_URL nor MEM_COMPAT_API_KEY is set");
    default:
      return provider satisfies never;
  }
}

function notSetUp(warn: ModelChoice["warn"], why: string): null {
  warn(`Observations are written by local rules: ${why}.`);
  return null;
}

function primary(choice: ModelChoice): ModelClient | null {
  const { settings, warn } = choice;
  const method = settings.get("MEM_PRIMARY_AUTH_METHOD");
  switch (method) {
    case "subscription":
      return (
        subscription(choice) ?? notSetUp(warn, "the command `claude` was not found (HOST_CLI_PATH names it)")
      );
    case "api-key":
      return overHttp(choice, "") ?? notSetUp(warn, `LLM_API_KEY is not in ${settings.paths.dotEnv}`);
    case "gateway":
      return gateway(choice) ?? notSetUp(warn, `LLM_BASE_URL is not in ${settings.paths.dotEnv}`);
    default:
      return method satisfies never;
  }
}

function subscription({ settings, env, clock }: ModelChoice): ModelClient | null {
  const command = settings.get("HOST_CLI_PATH") || findExecutable(env, "claude");
  if (!command) return null;
  return createSubscriptionClient({
    command,
    model: primaryModel(settings.get("MEM_MODEL")).id,
    environment: env,
    directory: settings.paths.hostCli,
    clock,
    deadlineMs: settings.get("MEM_GENERATION_TIMEOUT_MS"),
  });
}

function gateway(choice: ModelChoice): ModelClient | null {
  const { baseUrl } = loadGatewayCredentials(choice.settings.paths.dotEnv);
  return baseUrl === "" ? null : overHttp(choice, baseUrl);
}

// Keys are read at every call, so that a fixed one works at the next try. A key goes only to the address in the same
// file: after an edit of both it is not this client's.
function overHttp({ settings, clock }: ModelChoice, baseUrl: string): ModelClient | null {
  const { dotEnv } = settings.paths;
  if (baseUrl === "" && !loadGatewayCredentials(dotEnv).apiKey.isSet) return null;
  const keys = () => keysFor(baseUrl, loadGatewayCredentials(dotEnv));
  return createPrimaryClient({
    model: settings.get("MEM_MODEL"),
    baseUrl,
    apiKey: () => keys().apiKey.reveal(),
    // A gateway's key never goes to the vendor's address.
    authToken: () => (baseUrl === "" ? "" : keys().authToken.reveal()),
    clock,
    timeoutMs: settings.get("MEM_GENERATION_TIMEOUT_MS"),
  });
}

function keysFor(baseUrl: string, read: GatewayCredentials): GatewayCredentials {
  if (read.baseUrl === baseUrl) return read;
  throw new ModelFailure(
    "auth",
    baseUrl === ""
      ? "LLM_BASE_URL is set in .env, so its key is not sent to the vendor: " +
          "run `mem settings set MEM_PRIMARY_AUTH_METHOD gateway`, then `mem worker restart`."
      : "LLM_BASE_URL in .env changed: run `mem worker restart`.",
  );
}

function secondary({ settings, clock }: ModelChoice): ModelClient | null {
  const key = settings.get("MEM_SECONDARY_API_KEY");
  if (!key.isSet) return null;
  const model = settings.get("MEM_SECONDARY_MODEL");
  const timeoutMs = settings.get("MEM_GENERATION_TIMEOUT_MS");
  return createSecondaryClient({ model, apiKey: () => key.reveal(), clock, timeoutMs });
}

function compat({ settings, clock, warn }: ModelChoice): ModelClient | null {
  const key = settings.get("MEM_COMPAT_API_KEY");
  const baseUrl = settings.get("MEM_COMPAT_BASE_URL");
  if (baseUrl === "" && !key.isSet) return null;
  const model = settings.get("MEM_COMPAT_MODEL");
  if (isModelForAnotherServer(settings)) {
    warn(
      `MEM_COMPAT_MODEL is still ${model}, a model that the server at MEM_COMPAT_BASE_URL is unlikely to have.`,
    );
  }
  return createCompatClient({
    model,
    baseUrl,
    apiKey: () => key.reveal(),
    siteUrl: settings.get("MEM_COMPAT_SITE_URL"),
    appName: settings.get("MEM_COMPAT_APP_NAME"),
    clock,
    timeoutMs: settings.get("MEM_GENERATION_TIMEOUT_MS"),
  });
}
