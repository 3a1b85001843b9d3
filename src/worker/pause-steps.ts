// What the user can do about a pause of the provider: it depends on who the provider is and how it is paid for.
import type { FlowState, GenerationPause } from "../domain/generation-pause.ts";
import type { LoadedSettings } from "../settings/load.ts";

/** The pause that holds generation up, with the user's next step; null while the model may be asked. */
export function describePause(
  { state, reason }: FlowState,
  settings: Pick<LoadedSettings, "get" | "paths">,
): GenerationPause | null {
  if (state === "open" || reason === null) return null;
  const { kind, message, until } = reason;
  return { kind, message, until, next: nextStep(kind, settings) };
}

function nextStep(kind: string, settings: Pick<LoadedSettings, "get" | "paths">): string | null {
  if (kind === "auth") return accessStep(settings);
  if (kind === "quota") return "Until then `mem settings set MEM_PROVIDER local` writes without a model.";
  return null;
}

function accessStep({ get, paths }: Pick<LoadedSettings, "get" | "paths">): string {
  const provider = get("MEM_PROVIDER");
  switch (provider) {
    case "secondary":
      return setKey("MEM_SECONDARY_API_KEY");
    case "compat":
      return setKey("MEM_COMPAT_API_KEY");
    case "primary":
      break;
    case "local":
      return "See `mem doctor`.";
    default:
      return provider satisfies never;
  }
  switch (get("MEM_PRIMARY_AUTH_METHOD")) {
    case "subscription":
      return "Run `claude /login`, it goes on by itself.";
    case "api-key":
      return `Put a valid LLM_API_KEY into ${paths.dotEnv}, then run \`mem worker restart\`.`;
    default:
      return `Put a valid LLM_AUTH_TOKEN into ${paths.dotEnv}, then run \`mem worker restart\`.`;
  }
}

function setKey(key: string): string {
  return `Run \`mem settings set ${key} <key>\`, then \`mem worker restart\`.`;
}
