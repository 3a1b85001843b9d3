import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codex } from "../../src/hosts/codex.ts";
import type { Host, HostEvent } from "../../src/hosts/host-event.ts";
import { createLastMessages } from "../../src/worker/last-message.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const base = { cwd: null, agentId: null, agentType: null, eventKey: null, promptKey: null };

const host: Host = {
  name: "scripted",
  transcripts: {
    folderVariable: "SCRIPTED_HOME",
    folder: ".no-such-host-of-a-test",
    lastMessage: (text, until) => (text === "" ? "" : `${until}: ${text.slice(-20)}`),
  },
  decode: () => turnEnd(),
  render: () => "",
};

function turnEnd(fields: object = {}): HostEvent {
  return { ...base, sessionId: "s", kind: "turn_end", lastAssistantMessage: "", ...fields };
}

const prompt: HostEvent = { ...base, sessionId: "s", kind: "prompt", text: "go" };
const said = (text: string): HostEvent => ({ ...base, sessionId: "s", kind: "agent_message", text });

test("the end of a turn has the newest message of its session, until the next prompt", async () => {
  const messages = createLastMessages({});
  await messages.fill(host, said("first"));
  await messages.fill(host, said("last"));
  for (let repeat = 0; repeat < 2; repeat++) {
    expect(await messages.fill(host, turnEnd())).toMatchObject({ lastAssistantMessage: "last" });
  }
  expect(await messages.fill(host, turnEnd({ sessionId: "t" }))).toMatchObject({ lastAssistantMessage: "" });
  expect(await messages.fill({ ...host, name: "other" }, turnEnd())).toMatchObject({
    lastAssistantMessage: "",
  });
  await messages.fill(host, prompt);
  expect(await messages.fill(host, turnEnd())).toMatchObject({ lastAssistantMessage: "" });
});

test("a message that the host sends with the end of a turn stays", async () => {
  const messages = createLastMessages({});
  await messages.fill(host, said("other"));
  const own = turnEnd({ lastAssistantMessage: "own" });
  expect(await messages.fill(host, own)).toBe(own);
});

test("messages of many sessions take a bounded memory", async () => {
  const messages = createLastMessages({});
  await messages.fill(host, said("old"));
  for (let n = 0; n < 200; n++) await messages.fill(host, { ...said("new"), sessionId: `s-${n}` });
  expect(await messages.fill(host, turnEnd())).toMatchObject({ lastAssistantMessage: "" });
  expect(await messages.fill(host, turnEnd({ sessionId: "s-199" }))).toMatchObject({
    lastAssistantMessage: "new",
  });
});

test("a command of Codex has the exit code of the rollout, within the host's folder", () => {
  const home = tempDir();
  const path = join(home, "rollout.jsonl");
  const item = { type: "CommandExecution", id: "exec-2", status: "failed", exit_code: 3 };
  const lines = [{ ...item, id: "exec-1", exit_code: 0 }, item].map((one) => ({ payload: { item: one } }));
  writeFileSync(path, `cut off\n${lines.map((line) => `${JSON.stringify(line)}\n`).join("")}`);
  const use = { session_id: "s", tool_name: "Bash", tool_input: { command: "exit 3" }, tool_response: "" };
  const filled = (id: string, folder = home) => {
    const event = codex.decode("PostToolUse", { ...use, tool_use_id: id, transcript_path: path });
    return createLastMessages({ CODEX_HOME: folder }).fill(codex, event);
  };
  expect(filled("exec-2")).toMatchObject({ failed: true, toolResponse: { output: "", exit_code: 3 } });
  expect(filled("exec-1")).toMatchObject({ failed: false, toolResponse: { exit_code: 0 } });
  expect(filled("exec-3")).toMatchObject({ failed: false, toolResponse: "" });
  expect(filled("exec-2", tempDir())).toMatchObject({ failed: false, toolResponse: "" });
});

test("a transcript in the host's folder is read, from its end", async () => {
  const folder = tempDir();
  const path = join(folder, "session", "events.jsonl");
  mkdirSync(join(folder, "session"));
  writeFileSync(path, `${"x".repeat(2_000_000)} the newest message`);
  const messages = createLastMessages({}, () => [folder]);
  const end = turnEnd({ transcript: { path, untilEpochMs: 7 } });
  expect(await messages.fill(host, end)).toMatchObject({ lastAssistantMessage: "7: x the newest message" });
});

test("nothing outside the host's folder is read, and no other kind of file", async () => {
  const [folder, outside] = [tempDir(), tempDir()];
  writeFileSync(join(outside, "secret"), "secret");
  symlinkSync(join(outside, "secret"), join(folder, "link"));
  symlinkSync(outside, join(folder, "linked"));
  mkdirSync(join(folder, "directory"));
  const messages = createLastMessages({ SCRIPTED_HOME: folder });
  const paths = [
    join(outside, "secret"),
    join(folder, "link"),
    join(folder, "linked", "secret"),
    `${folder}/../${outside.split("/").at(-1)}/secret`,
    join(folder, "directory"),
    join(folder, "missing"),
    folder,
    "",
  ];
  for (const path of paths) {
    const end = turnEnd({ transcript: { path, untilEpochMs: null } });
    expect({ path, ...(await messages.fill(host, end)) }).toMatchObject({ path, lastAssistantMessage: "" });
  }
});

test("a transcript that the host makes after the end of the turn is waited for", async () => {
  const folder = tempDir();
  const path = join(folder, "events.jsonl");
  const messages = createLastMessages({}, () => [folder]);
  const filled = messages.fill(host, turnEnd({ transcript: { path, untilEpochMs: 7 } }));
  writeFileSync(path, "the newest message");
  expect(await filled).toMatchObject({ lastAssistantMessage: "7: the newest message" });
  const missing = turnEnd({ transcript: { path: join(folder, "none"), untilEpochMs: 7 } });
  expect(await messages.fill(host, missing)).toMatchObject({ lastAssistantMessage: "" });
});

test("a transcript that is being written is waited for, but not for long", async () => {
  const folder = tempDir();
  const path = join(folder, "events.jsonl");
  writeFileSync(path, "");
  const lastMessage = (text: string) => (text === "" ? null : text);
  const writing: Host = {
    ...host,
    transcripts: { folderVariable: "SCRIPTED_HOME", folder: "", lastMessage },
  };
  const messages = createLastMessages({ SCRIPTED_HOME: folder });
  const end = turnEnd({ transcript: { path, untilEpochMs: 7 } });
  expect(await messages.fill(writing, end)).toMatchObject({ lastAssistantMessage: "" });
  const filled = messages.fill(writing, end);
  writeFileSync(path, "late");
  expect(await filled).toMatchObject({ lastAssistantMessage: "late" });
});
