// A scripted model that ends with the running test.
import { onTestFinished } from "vitest";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "../../helpers/scripted-model.ts";

export async function modelServer(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const server = await startScriptedModel(options);
  onTestFinished(() => server.close());
  return server;
}
