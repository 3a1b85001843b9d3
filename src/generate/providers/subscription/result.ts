// Reads the host CLI's output as an answer or a failure.

import { cleanReason } from "../../../core/outbound/error-text.ts";
import { isJsonObject, type JsonObject } from "../../../text/json.ts";
import type { ModelAnswer } from "../../model-client.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { TokenUsage } from "../../token-usage.ts";
import { type FailureContext, failureOf } from "./failure.ts";
import type { HostCliOutput } from "./run.ts";

interface Asked extends FailureContext {
  /** The requested model. */
  model: string;
}

/** Throws `ModelFailure`. */
export function readAnswer(output: HostCliOutput, asked: Asked): ModelAnswer {
  const result = findResult(output.stdout);
  if (result === null) throw withoutResult(output, asked);
  const usage = readUsage(result);
  const answer = { model: answeringModel(result, asked.model), usage };
  const text = typeof result.result === "string" ? result.result : "";
  if (result.is_error !== true) {
    if (text.trim() === "") throw new ModelFailure("bad_answer", "The model's answer is empty.", { usage });
    return { ...answer, text, stopped: "end" };
  }
  // In these two cases the CLI withholds the text of the model.
  if (result.stop_reason === "refusal") return { ...answer, text: "", stopped: "refused" };
  if (/exceeded the \d+ output token maximum/.test(text)) return { ...answer, text: "", stopped: "length" };
  throw failureOf(
    {
      text: text === "" ? errorsOf(result) : text,
      status: typeof result.api_error_status === "number" ? result.api_error_status : null,
      reason: typeof result.terminal_reason === "string" ? result.terminal_reason : "",
      usage,
    },
    asked,
  );
}

// One object on one line, or a list of all messages from older versions, possibly after a warning.
function findResult(stdout: string): JsonObject | null {
  const whole = resultIn(stdout);
  if (whole !== null) return whole;
  for (const line of stdout.trimEnd().split("\n").reverse()) {
    const result = resultIn(line);
    if (result !== null) return result;
  }
  return null;
}

function resultIn(text: string): JsonObject | null {
  const value = parsed(text);
  const messages = Array.isArray(value) ? value : [value];
  return messages.filter(isJsonObject).find((message) => message.type === "result") ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withoutResult({ stdout, stderr, exitCode }: HostCliOutput, asked: Asked): ModelFailure {
  const lastLine = `${stdout}\n${stderr}`.trimEnd().split("\n").at(-1) ?? "";
  if (exitCode === 0 && stdout.trim() !== "") {
    return new ModelFailure(
      "bad_answer",
      `The host CLI's answer is not its JSON: ${cleanReason(stdout, asked.secrets)}`,
    );
  }
  const text = lastLine === "" ? `ended with ${exitCode ?? "a signal"} and no word` : lastLine;
  return failureOf({ text, status: null, reason: "" }, asked);
}

function errorsOf({ errors, subtype }: JsonObject): string {
  const lines = Array.isArray(errors) ? errors.filter((line) => typeof line === "string") : [];
  return lines.length > 0 ? lines.join("; ") : String(subtype ?? "");
}

// Of all requests of the run: the CLI repeats one whose answer is cut, empty or refused.
function readUsage({ usage }: JsonObject): TokenUsage {
  const count = (name: string): number => {
    const value = isJsonObject(usage) ? usage[name] : 0;
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
  };
  const cachedTokens = count("cache_read_input_tokens");
  return {
    inputTokens: count("input_tokens") + cachedTokens + count("cache_creation_input_tokens"),
    outputTokens: count("output_tokens"),
    cachedTokens,
  };
}

// The CLI may fall back to another model, and also lists a small one for its housekeeping.
function answeringModel({ modelUsage }: JsonObject, asked: string): string {
  const used = isJsonObject(modelUsage) ? Object.entries(modelUsage) : [];
  if (used.length === 0 || used.some(([name]) => name === asked)) return asked;
  const wrote = (usage: unknown): number => (isJsonObject(usage) ? Number(usage.outputTokens ?? 0) : 0);
  return used.reduce((most, each) => (wrote(each[1]) > wrote(most[1]) ? each : most))[0];
}
