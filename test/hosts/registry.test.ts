// Hosts by name.
import { expect, test } from "vitest";
import { agentNamed, hostAgents, hostNames, hostOf } from "../../src/hosts/registry.ts";

test("every host that can be installed is named once, decodes, and has a title", () => {
  expect(hostNames).toContain("claude-code");
  expect(new Set(hostNames).size).toBe(hostAgents.length);
  for (const name of hostNames) {
    expect(hostOf(name, {})?.name).toBe(name);
    expect(agentNamed(name).integration.title).not.toBe("");
  }
});

test.each(hostAgents)("$host.name sends only events that are read, and gets nothing for no text", (agent) => {
  const { host, integration } = agent;
  const used = { tool_name: "Bash", tool_input: { command: "ls" }, trigger: "manual", prompt: "x", text: "" };
  for (const { event } of integration.hooks) {
    const payload = { session_id: "s", conversation_id: "s", hook_event_name: event, ...used };
    const decoded = host.decode(event, payload);
    expect(decoded.kind).not.toBe("other");
    for (const none of [null, ""]) expect(host.render(decoded, { context: none, notice: none })).toBe("");
  }
});

test.each(["claude", "", "__proto__", "CLAUDE-CODE"])(
  "%j is no host, and the error names those that are",
  (name) => {
    expect(hostOf(name, {})).toBeUndefined();
    expect(() => agentNamed(name)).toThrow(
      expect.objectContaining({
        code: "host_unknown",
        message: expect.stringContaining(name),
        hint: expect.stringContaining("Known hosts: claude-code"),
      }),
    );
  },
);
