// Payloads of other versions of a host: recorded ones with a field missing, of another type, or added.
import fc from "fast-check";
import { expect, test } from "vitest";
import { agentNamed, hostAgents, hostOf } from "../../src/hosts/registry.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/text/json.ts";
import { recordedFiles, recordedPayload } from "./recorded.ts";

const odd: readonly Json[] = [null, true, 7, -1, "", "\0", " text ", [], [null, 3], {}, { text: 5 }, [[{}]]];

/** The payload with one field at any depth left out or replaced; and one with fields that no version has. */
function* variantsOf(payload: JsonObject): Generator<JsonObject> {
  yield { ...payload, a_new_field: { of: ["a", "later", 1] }, another: null };
  for (const [name, value] of Object.entries(payload)) {
    const { [name]: _left, ...rest } = payload;
    yield rest;
    for (const other of odd) yield { ...rest, [name]: other };
    if (isJsonObject(value)) for (const inner of variantsOf(value)) yield { ...rest, [name]: inner };
  }
}

const folders = [
  ["claude-code", "claude-code"],
  ["codex", "codex"],
  ["gemini-cli", "gemini-cli"],
  ["copilot-cli", "copilot-cli"],
  ["copilot-cli-pascalcase", "copilot-cli"],
  ["claude-code", "cursor"],
] as const;

test.each(folders)("payloads of %s with odd fields never fail the hook of %s", (folder, name) => {
  const failed: string[] = [];
  for (const file of recordedFiles(folder)) {
    const payload = recordedPayload(folder, file);
    for (const variant of variantsOf(payload)) {
      try {
        const event = String(payload.hook_event_name ?? file);
        const host = hostOf(name, variant);
        const decoded = host?.decode(event, variant);
        if (host === undefined || decoded === undefined) throw new Error("no host");
        expect(typeof decoded.sessionId).toBe("string");
        const output = host.render(decoded, { context: "A record.", notice: "A notice." });
        if (decoded.kind !== "setup" && output !== "") JSON.parse(output);
        const { transcript = null } = decoded.kind === "turn_end" ? decoded : {};
        host.transcripts?.lastMessage?.(JSON.stringify(variant), transcript?.untilEpochMs ?? null);
      } catch (error) {
        failed.push(`${file}: ${String(error)}`);
      }
    }
  }
  expect([...new Set(failed)].slice(0, 10)).toEqual([]);
});

const isSilent = /^(other|turn_end|session_end|before_compact)$/;

test.each(folders.slice(0, -1))("payloads of %s are read on %s, and ends get no answer", (folder, name) => {
  for (const file of recordedFiles(folder)) {
    const payload = recordedPayload(folder, file);
    const { session_id, sessionId, parent_agent_id } = payload;
    const host = hostOf(name, payload) ?? agentNamed(name).host;
    const decoded = host.decode(String(payload.hook_event_name ?? file.split(".")[0]), payload);
    expect(decoded.sessionId).toBe(parent_agent_id ?? session_id ?? sessionId);
    expect(decoded).not.toHaveProperty("misread");
    const said = host.render(decoded, { context: "A record.", notice: "A notice." });
    if (isSilent.test(decoded.kind)) expect(said).toBe("");
  }
});

test.each(hostAgents)("any payload of $host.name is decoded without an error", ({ host, integration }) => {
  const names = [...integration.hooks.map(({ event }) => event), "Brand New", ""];
  const fields = "session_id prompt prompt_id tool_name tool_input tool_use_id source reason".split(" ");
  const payload = fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom(...names), payload, (event, given) => {
      expect(host.decode(event, JSON.parse(JSON.stringify(given))).kind).toEqual(expect.any(String));
    }),
  );
});

test.each([
  ["claude-code", "UserPromptSubmit", { session_id: "s", prompt: "" }],
  ["codex", "UserPromptSubmit", { session_id: "s", prompt: " " }],
  ["gemini-cli", "BeforeAgent", { session_id: "s", prompt: "<hook_context>old</hook_context>\n" }],
  ["copilot-cli", "userPromptSubmitted", { sessionId: "s", prompt: "" }],
  ["cursor", "beforeSubmitPrompt", { conversation_id: "s", prompt: "" }],
])("a prompt of %s without a text is one that is only an image", (host, name, payload) => {
  expect(hostOf(host, payload)?.decode(name, payload)).toMatchObject({ kind: "prompt", text: "[image]" });
});
