// What the user can do about a pause of the provider: it depends on who the provider is and how it is paid for.
import type { GenerationPause, Mends } from "../domain/generation-pause.ts";
import type { FlowState } from "../generate/flow.ts";
import { homePath } from "../paths.ts";
import type { LoadedSettings } from "../settings/load.ts";

type Settings = Pick<LoadedSettings, "get" | "paths">;

/** The pause that holds the model up, with the user's next step; null while it may be asked. */
export function describePause(
  { state, reason }: FlowState,
  settings: Settings,
  localWrites = false,
): GenerationPause | null {
  if (state === "open" || reason === null) return null;
  const { kind, message, until, mends } = reason;
  const shown = { ...(mends === undefined ? {} : { mends }), ...(localWrites ? { localWrites } : {}) };
  return { kind, message, until, ...shown, next: nextStep({ kind, mends }, settings) };
}

function nextStep(
  { kind, mends }: { kind: string; mends: Mends | undefined },
  settings: Settings,
): string | null {
  if (kind === "auth") return mends === undefined ? null : mendingStep[mends](settings);
  if (kind === "quota")
    return "Until then `mem settings set MEM_PROVIDER local && mem worker restart` writes without a model.";
  return null;
}

const mendingStep: Readonly<Record<Mends, (settings: Settings) => string | null>> = {
  key: keyStep,
  address: addressStep,
  model: modelStep,
  command: () => setStep("HOST_CLI_PATH", "path"),
};

function keyStep({ get, paths }: Settings): string {
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
      return "Run `claude /login`: it goes on by itself. Or choose who writes: `mem settings set MEM_PROVIDER local && mem worker restart`.";
    case "api-key":
      return `Put a valid LLM_API_KEY into ${homePath(paths.dotEnv)}, then run \`mem worker restart\`.`;
    default:
      return `Put a valid LLM_AUTH_TOKEN into ${homePath(paths.dotEnv)}, then run \`mem worker restart\`.`;
  }
}

// The vendors' own addresses are fixed: what goes wrong there is no setting's fault.
function addressStep({ get, paths }: Settings): string | null {
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

function modelStep({ get }: Settings): string | null {
  const setting = modelSettings[get("MEM_PROVIDER")];
  return setting === null ? null : setStep(setting, "model");
}

function setStep(setting: string, value: string): string {
  return `Run \`mem settings set ${setting} <${value}> && mem worker restart\`.`;
}
