// Codex CLI's recorded payloads as our events, and our answers in its envelope.
import { describe, expect, test } from "vitest";
import { codex } from "../../src/hosts/codex.ts";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import type { JsonObject } from "../../src/text/json.ts";
import { refusedOutput } from "./accepted-output.ts";
import { recordedFiles, recordedPayload } from "./recorded.ts";

const recorded = (file: string) => recordedPayload("codex", file);

function decoded(file: string, more: JsonObject = {}): HostEvent {
  return codex.decode("as-registered", { ...recorded(file), ...more });
}

const all = recordedFiles("codex");
const patch = [
  "*** Begin Patch",
  "*** Update File: src/a.ts",
  "@@",
  "-old",
  "+new",
  "*** Add File: src/b.ts",
  "+more",
  "*** Update File: src/c.ts",
  "*** Move to: src/d.ts",
  "*** End Patch",
].join("\n");
const patched = ["a", "b", "c", "d"].map((name) => `/home/user/demo/src/${name}.ts`);
const patching = { tool_name: "apply_patch", tool_input: { command: patch } };

describe("an event", () => {
  test.each([
    ["cat src/a.ts", ["/home/user/demo/src/a.ts"]],
    ["sed -n 1,80p a.ts", ["/home/user/demo/a.ts"]],
    [`bash -lc "sed -n '1,80p' src/a.ts"`, ["/home/user/demo/src/a.ts"]],
    ["cd src && nl -ba a.ts | head -40", ["/home/user/demo/src/a.ts"]],
    ["rg -n 'token' src/a.ts src", ["/home/user/demo/src/a.ts"]],
    ["head -n 20 /etc/hosts; tail -5 ../b.md", ["/etc/hosts", "/home/user/b.md"]],
    ["cat > out.txt <<'EOF'\ncat in.txt\nEOF", []],
    ["cat src/*.ts $FILE -", []],
    ["npm test", []],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\nEOF",
      ["/home/user/demo/a.ts"],
    ],
  ])("before the command %j names the files that it shows or patches", (command, files) => {
    expect(decoded("PreToolUse.Bash", { tool_input: { command } })).toMatchObject({
      kind: "before_command",
      command,
      files,
    });
  });

  test("before a patch names its files, and after it too, as written", () => {
    expect(decoded("PreToolUse.Bash", patching)).toMatchObject({ kind: "before_file", paths: patched });
    expect(decoded("PostToolUse.Bash", patching)).toMatchObject({ kind: "tool_use", wrote: patched });
    expect(decoded("PostToolUse.Bash")).not.toHaveProperty("wrote");
  });

  test("before another tool has nothing to ask", () => {
    const mcp = { tool_name: "mcp__docs__search", tool_input: { query: "cat a.ts" } };
    expect(decoded("PreToolUse.Bash", mcp).kind).toBe("other");
    expect(decoded("PreToolUse.Bash", { tool_input: {} }).kind).toBe("other");
  });

  test.each(["PermissionRequest", "Interrupt", "BrandNew"])("%s is kept as other", (name) => {
    expect(decoded("Stop", { hook_event_name: name })).toMatchObject({ kind: "other", name });
  });

  test("without a name in its payload is no error", () => {
    const { hook_event_name: __, ...nameless } = recorded("SessionEnd.other");
    expect(codex.decode("session-end", nameless).kind).toBe("session_end");
  });

  test("has one key however often it comes, and another for each use of a tool", () => {
    const keys = [
      decoded("PostToolUse.Bash"),
      decoded("PostToolUse.Bash", { tool_use_id: "call_2" }),
      decoded("PostToolUse.Bash", { turn_id: "turn-2" }),
    ].map(({ eventKey }) => eventKey);
    expect(new Set(keys).size).toBe(3);
    expect(decoded("PostToolUse.Bash").eventKey).toBe(keys[0]);
  });
});

describe("an answer", () => {
  const context = "what was learned";

  test.each(all)("to %s has only fields that the host accepts", (file) => {
    const texts = [null, "", context, "x".repeat(50_000)];
    for (const [said, notice] of texts.flatMap((one) => texts.map((other) => [one, other] as const))) {
      const text = codex.render(decoded(file), { context: said, notice });
      expect(refusedOutput("codex", String(recorded(file).hook_event_name), text)).toEqual([]);
    }
  });
});
