// Our entries put into the files of every host and taken out again.
import fc from "fast-check";
import JSON5 from "json5";
import { parse as parseTomlText } from "smol-toml";
import { describe, expect, test } from "vitest";
import { claudeCodeIntegration } from "../../src/hosts/claude-code.ts";
import { hookCommand } from "../../src/hosts/hook-command.ts";
import { type EditedFile, hookGroups, isHandlerOf, mcpEntry } from "../../src/hosts/integration.ts";
import { type InstallRecord, type Part, planFile, registered } from "../../src/hosts/registration.ts";
import { volume } from "../helpers/volume.ts";

const { hooks } = claudeCodeIntegration;
const both: readonly Part[] = ["hooks", "mcp"];

function entries(folder = "/opt/it's here/bin") {
  const command = (event: string) =>
    hookCommand({ host: "claude-code", event, launcher: { folder }, dataDir: null });
  const server = { command: "/bin/sh", args: [`${folder}/mem-mcp.sh`], env: { MEM_DATA_DIR: folder } };
  return {
    groups: hookGroups("claude-code", hooks, { hookCommand: command }),
    server: mcpEntry(["mcpServers"], { type: "stdio", ...server }),
    flat: hooks.map(({ event }) => ({
      path: ["hooks", event],
      value: { command: command(event) },
      isOurs: (one: unknown) => isHandlerOf("claude-code", one),
    })),
    table: mcpEntry(["mcp_servers"], server),
    nested: mcpEntry(["mcp", "servers"], server),
    path: {
      path: ["plugins", "load", "paths"],
      value: `${folder}/openclaw`,
      isOurs: (one: unknown) => typeof one === "string" && one.endsWith("/openclaw"),
    },
    plugin: {
      path: ["plugins", "entries"],
      key: "agent-mem",
      value: { enabled: true, hooks: { allowConversationAccess: true } },
      isOurs: () => true,
    },
  };
}

// One file per form that a host has.
const forms = {
  "groups of hooks": (folder?: string): EditedFile => ({
    path: "/home/user/.claude/settings.json",
    syntax: "json",
    hooks: entries(folder).groups,
  }),
  "hooks and a server in one file with comments": (folder?: string): EditedFile => ({
    path: "/home/user/.gemini/settings.json",
    syntax: "json5",
    hooks: entries(folder).groups,
    mcp: [entries(folder).server],
  }),
  "a flat list of hooks": (folder?: string): EditedFile => ({
    path: "/home/user/.cursor/hooks.json",
    syntax: "json",
    hooks: [
      { path: [], key: "version", value: 1, isOurs: () => false, shared: true },
      ...entries(folder).flat,
    ],
  }),
  "a plugin in JSON5": (folder?: string): EditedFile => ({
    path: "/home/user/.openclaw/openclaw.json",
    syntax: "json5",
    hooks: [entries(folder).path, entries(folder).plugin],
    mcp: [entries(folder).nested],
  }),
};

function textsOf(syntax: "json" | "json5" | "toml"): [string, string | null][] {
  return [
    ["that does not exist", null],
    ["that is empty", ""],
    ["of space alone", " \n\t\n"],
    ["of a byte order mark alone", "\uFEFF"],
    ...(syntax === "toml" ? tomlTexts : jsonTexts),
    ...(syntax === "json5" ? commentedTexts : []),
  ];
}

const others = `{
  "model": "opus",  "env": {"A": "1.0", "B": 1.0},
  "hooks": {
    "PostToolUse": [
      { "matcher": "Write", "hooks": [ { "type": "command", "command": "prettier" } ] }
    ],
    "Notification": []
  },
  "permissions": {"allow": ["Bash(ls:*)"]}
}
`;

const jsonTexts: [string, string][] = [
  ["that is empty of settings", "{}"],
  ["with a line in its braces", "{\n}\n"],
  ["on one line", '{"model":"opus","hooks":{"Stop":[{"hooks":[]}]}}'],
  ["of tabs without a line feed at its end", '{\n\t"model": "opus"\n}'],
  ["with carriage returns", '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n'],
  ["with a byte order mark", '\uFEFF{\n  "model": "opus"\n}\n'],
  ["with hooks of others", others],
  ["with a version", '{"version": 1, "hooks": {"stop": [{"command": "beep"}]}}'],
  ["with escapes", '{"note": "\\u00e9 \\"hooks\\": {}", "hooks": {"Stop": [ ]}}\n'],
  ["with other servers", '{"mcpServers":{"git":{"command":"git-mcp"}},"mcp":{"servers":{"x":{}}}}'],
  ["with a number as it is", '{\n  "a": 1.0, "mcpServers": {\n    "x": {"env": {"A": "\\u00e9"}}\n  }\n}\n'],
];

const commentedTexts: [string, string][] = [
  ["with comments", '// mine\n{\n  "model": "pro", // the good one\n  /* "hooks": {} */\n}\n'],
  ["with a comment behind the last member", '{\n  "a": 1 // one\n  // the end\n}\n'],
  ["with trailing commas", '{\n  "hooks": {\n    "Stop": [],\n  },\n}\n'],
  ["with a comment behind a trailing comma", "{\n  hooks: {\n    Stop: [], // none\n  }, // none\n}"],
  [
    "with names without quotes",
    "{plugins: {load: {paths: ['/x',],}, 'entries': {\"y\": {}}}, mcp: {servers: {}}}",
  ],
  ["with the syntax of JavaScript", "{a: .5, b: +1, c: 0xFF, d: 'it\\'s', e: Infinity, f: '\\\n', /* x */ }"],
  ["with a comment in empty braces", "{ // nothing yet\n}\n"],
];

const tomlTexts: [string, string][] = [
  ["of one value", 'model = "gpt-5"\n'],
  ["without a line feed at its end", 'model = "gpt-5"'],
  ["with carriage returns", '# mine\r\nmodel = "gpt-5"\r\n\r\n[tui]\r\ntheme = "x"\r\n'],
  ["with another server", '[mcp_servers.git]\ncommand = "git-mcp"\n[mcp_servers.git.env]\nA = "1"\n'],
  ["with a string that looks like our table", 'a = """\n[mcp_servers.mem]\n"""\n'],
  ["with the table of servers", "[mcp_servers] # mine\n\n[x]\ny = [\n  [1],\n]\n"],
];

const toml = (folder?: string): EditedFile => ({
  path: "/home/user/.codex/config.toml",
  syntax: "toml",
  mcp: [entries(folder).table],
});

const allForms: [string, (folder?: string) => EditedFile][] = [...Object.entries(forms), ["a table", toml]];
const cases = allForms.flatMap(([form, make]) =>
  textsOf(make().syntax).map(([what, before]): [string, string, typeof make, string | null] => [
    form,
    what,
    make,
    before,
  ]),
);

function plan(file: EditedFile, before: string | null, earlier?: InstallRecord | null, parts = both) {
  const request = { host: "claude-code", folder: "/home/user/.claude", file, before };
  return planFile({ ...request, earlier: earlier ?? undefined, parts: new Set(parts) });
}

function remove(file: EditedFile, before: string | null, earlier?: InstallRecord | null) {
  return plan(file, before, earlier, []).after;
}

// What a host makes of the text: a blank file says nothing.
function read(syntax: EditedFile["syntax"], text: string | null): Record<string, unknown> {
  const clean = (text ?? "").replace("\uFEFF", "");
  if (syntax === "toml") return parseTomlText(clean);
  return JSON5.parse(clean.trim() === "" ? "{}" : clean);
}

describe.each(cases)("%s into a file %s", (_form, _what, make, before) => {
  const file = make();
  const { syntax } = file;

  test("is registered once, and what the file said stays", () => {
    const { after } = plan(file, before);
    const wanted = [...(file.hooks ?? []), ...(file.mcp ?? [])].filter(({ shared }) => !shared).length;
    const [inHooks, inMcp] = [registered(file, after, "hooks"), registered(file, after, "mcp")];
    expect(inHooks.exact + inMcp.exact).toBe(wanted);
    expect(inHooks.other + inMcp.other).toBe(0);
    expect(read(syntax, after)).toMatchObject(withoutLists(read(syntax, before)));
  });

  test("is gone byte for byte after uninstalling", () => {
    const { after, record } = plan(file, before);
    expect(remove(file, after, record)).toBe(before);
  });

  test("is not changed by installing again", () => {
    const { after, record } = plan(file, before);
    expect(plan(file, after, record)).toEqual({ after, record });
  });

  test("is replaced by an update from another place, and gone after it", () => {
    const first = plan(make("/old/hooks"), before);
    const second = plan(file, first.after, first.record);
    expect(second.after).toBe(plan(file, before).after);
    expect(remove(file, second.after, second.record)).toBe(before);
  });

  test("leaves every byte of others when something else was changed since", () => {
    const { after, record } = plan(file, before);
    const change = (text: string | null) => edited(syntax, text ?? "");
    const left = remove(file, change(after), record);
    const isBlank = Object.keys(read(syntax, before)).length === 0;
    if (isBlank) expect(unshared(read(syntax, left))).toEqual({ theme: "dark" });
    else expect(left).toBe(change(before));
  });

  test("is gone without a record too", () => {
    const left = remove(file, plan(file, before).after);
    expect(left ?? "").not.toContain("mem-");
    expect(registered(file, left, "hooks").values).toEqual([]);
  });
});

// The elements of lists move apart from each other: compared without them.
function withoutLists(value: unknown): object {
  return mapped(value) as object;
}

function mapped(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const entriesLeft = Object.entries(value).filter(([, inner]) => !Array.isArray(inner));
  return Object.fromEntries(entriesLeft.map(([key, inner]) => [key, mapped(inner)]));
}

// Without the member that stays while anybody uses the file.
function unshared({ version: _, ...value }: Record<string, unknown>): object {
  return value;
}

function edited(syntax: EditedFile["syntax"], text: string): string {
  if (syntax === "toml") return text.replace(/^(\uFEFF?)/, '$1theme = "dark"\n');
  return text.replace("{", '{"theme": "dark",');
}

// A document in a random form, with comments and trailing commas where the syntax has them.
function rendered(value: unknown, { newline, indent, commented }: Form, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const open = newline === "" ? "" : newline + indent.repeat(depth + 1);
  const close = newline === "" ? "" : newline + indent.repeat(depth);
  const form = { newline, indent, commented };
  const items = Array.isArray(value)
    ? value.map((item) => rendered(item, form, depth + 1))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${rendered(item, form, depth + 1)}`,
      );
  const comment = commented && newline !== "" ? " // }], a comment" : "";
  const last = commented && items.length > 0 ? "," : "";
  const [left, right] = Array.isArray(value) ? "[]" : "{}";
  return `${left}${items.map((item, at) => open + item + (at < items.length - 1 ? "," : last) + comment).join("")}${close}${right}`;
}

interface Form {
  newline: string;
  indent: string;
  commented: boolean;
}

const formsOfText = fc.record({
  newline: fc.constantFrom("", "\n", "\r\n", "\n\n"),
  indent: fc.constantFrom("", " ", "  ", "\t"),
  commented: fc.boolean(),
});

// Names that our entries use too, with the values that hosts have there.
const document = fc.record(
  {
    hooks: fc.dictionary(
      fc.constantFrom("Stop", "PostToolUse", "Other"),
      fc.array(fc.jsonValue(), { maxLength: 3 }),
    ),
    mcpServers: fc.dictionary(fc.constantFrom("git", "x"), fc.jsonValue()),
    mcp: fc.record({ servers: fc.dictionary(fc.string(), fc.jsonValue()) }, { requiredKeys: [] }),
    plugins: fc.record(
      { load: fc.record({ paths: fc.array(fc.string()) }, { requiredKeys: [] }), entries: fc.constant({}) },
      { requiredKeys: [] },
    ),
    version: fc.constant(1),
    theme: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test.each(Object.entries(forms))("%s restore any document of any form byte for byte", (_form, make) => {
  fc.assert(
    fc.property(document, formsOfText, fc.jsonValue(), (value, form, later) => {
      const isPlain = make().syntax === "json";
      const before = rendered(value, { ...form, commented: form.commented && !isPlain });
      const first = plan(make("/old/hooks"), before);
      const second = plan(make(), first.after, first.record);
      expect(plan(make(), second.after, second.record)).toEqual(second);
      expect(remove(make(), second.after, second.record)).toBe(before);
      // The host has written the file in its own form since, with one more value.
      const host = JSON5.parse(second.after ?? "");
      const left = remove(make(), JSON.stringify({ ...host, later }, null, 2), second.record);
      expect(unshared(JSON5.parse(left ?? ""))).toEqual(
        JSON5.parse(JSON.stringify(unshared({ ...value, later }))),
      );
    }),
    { numRuns: volume(60, 8) },
  );
});

test("hooks that somebody added beside ours stay", () => {
  const file = forms["groups of hooks"]();
  const { after, record } = plan(file, null);
  const settings = JSON.parse(after ?? "");
  settings.hooks.Stop[0].hooks.push({ type: "command", command: "say done" });
  settings.hooks.Notification = [{ hooks: [{ type: "command", command: "beep" }] }];
  expect(JSON.parse(remove(file, JSON.stringify(settings), record) ?? "")).toEqual({
    hooks: {
      Stop: [{ hooks: [{ type: "command", command: "say done" }] }],
      Notification: [{ hooks: [{ type: "command", command: "beep" }] }],
    },
  });
});

test("one missing hook is put back by installing again", () => {
  const file = forms["groups of hooks"]();
  const { after, record } = plan(file, others);
  const settings = JSON.parse(after ?? "");
  delete settings.hooks.Stop;
  const again = plan(file, JSON.stringify(settings), record).after;
  expect(JSON.parse(again ?? "").hooks.Stop).toHaveLength(1);
  expect(JSON.parse(again ?? "").hooks.PostToolUse).toHaveLength(2);
});

test("a hook of an event that is not registered any more goes with an update", () => {
  const file = forms["groups of hooks"]();
  const [stop] = entries().groups.filter(({ path }) => path[1] === "Stop");
  const before = JSON.stringify({ hooks: { SubagentStop: [stop?.value] } });
  expect(JSON.parse(plan(file, before).after ?? "").hooks.SubagentStop).toBeUndefined();
});

test.each(['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": "none"}', "[]", "{", '{"a": 1} // mine'])(
  "%j is left as it is, and the error says so",
  (before) => {
    const unreadable = expect.objectContaining({ code: "host_settings_unreadable" });
    expect(() => plan(forms["groups of hooks"](), before)).toThrow(unreadable);
  },
);

test.each(["[mcp_servers", "mcp_servers = 1", "mcp_servers = {}", "a = 1\na = 2"])(
  "the table is not added to %j",
  (before) => {
    expect(() => plan(toml(), before)).toThrow(expect.objectContaining({ code: "host_settings_unreadable" }));
  },
);

test("a file that is gone has nothing to uninstall", () => {
  const file = forms["groups of hooks"]();
  expect(remove(file, null, plan(file, null).record)).toBeNull();
});

test("another server of our name is left alone, and named", () => {
  const file = forms["hooks and a server in one file with comments"]();
  const text = '{"mcpServers":{"mem":{"command":"memcached-mcp","args":[]}}}';
  expect(() => plan(file, text)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(remove(file, text)).toBe(text);
  expect(registered(file, text, "mcp").values).toEqual([]);
});

test.each([
  '{"command":"node","args":["/old/bin/mem.js","mcp"]}',
  '{"command":"/bin/sh","args":["/data/bin/mem-mcp.sh"]}',
  '{"command":["node","/data/bin/mem-mcp.mjs"]}',
])("the server %s is known by what it starts", (server) => {
  const file = forms["hooks and a server in one file with comments"]();
  expect(remove(file, `{"mcpServers":{"mem":${server},"x":{}}}`)).toBe('{"mcpServers":{"x":{}}}');
});

test("turning the server off leaves the hooks, and uninstalling restores the file", () => {
  const file = forms["hooks and a server in one file with comments"]();
  const first = plan(file, others);
  const second = plan(file, first.after, first.record, ["hooks"]);
  expect(registered(file, second.after, "mcp").exact).toBe(0);
  expect(registered(file, second.after, "hooks").exact).toBe(hooks.length);
  expect(remove(file, second.after, second.record)).toBe(others);
});

test("the member that all hooks of a file share stays while others use it", () => {
  const file = forms["a flat list of hooks"]();
  const { after, record } = plan(file, null);
  const settings = JSON.parse(after ?? "");
  settings.hooks.stop = [{ command: "beep" }];
  const left = remove(file, JSON.stringify(settings), record);
  expect(JSON.parse(left ?? "")).toEqual({ version: 1, hooks: { stop: [{ command: "beep" }] } });
  expect(remove(file, JSON.stringify(JSON.parse(after ?? "")), record)).toBeNull();
});

test("a whole file of ours replaces its earlier version, and no file of others", () => {
  const own = (text: string) => ({
    path: "/x/mem.js",
    syntax: "own" as const,
    text,
    isOurs: (one: string) => one.startsWith("// mem"),
  });
  const request = { host: "opencode", folder: "/x", earlier: undefined };
  const change = (before: string | null, parts: readonly Part[]) =>
    planFile({ ...request, file: own("// mem 2"), before, parts: new Set(parts) }).after;
  expect(change(null, both)).toBe("// mem 2");
  expect(change("// mem 1", both)).toBe("// mem 2");
  expect(change("// mem 1", [])).toBeNull();
  expect(change("mine", [])).toBe("mine");
  expect(() => change("mine", both)).toThrow(expect.objectContaining({ code: "conflict" }));
});
