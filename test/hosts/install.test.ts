// Hooks put into a host's settings and taken out again.
import { describe, expect, test } from "vitest";
import { claudeCodeRecipe } from "../../src/hosts/claude-code.ts";
import { planInstall, planUninstall } from "../../src/hosts/install.ts";
import { hookGroups } from "../../src/hosts/install-recipe.ts";
import type { InstallRecord } from "../../src/hosts/registration.ts";

const launcher = { folder: "/opt/it's here/hooks" };
const settingsFile = "/home/user/.claude/settings.json";

function install(before: string | null, earlier?: InstallRecord, folder = launcher.folder) {
  const request = { recipe: claudeCodeRecipe, settingsFile, before, dataDir: null, earlier };
  return planInstall({ ...request, launcher: { folder } });
}

function uninstall(before: string | null, earlier?: InstallRecord | null) {
  return planUninstall({ host: "claude-code", settingsFile, before, earlier: earlier ?? undefined }).after;
}

// What a host makes of the text: a blank file says nothing.
function settingsIn(text: string | null) {
  return JSON.parse(text?.trim() || "{}");
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

const files: [string, string | null][] = [
  ["that does not exist", null],
  ["that is empty of settings", "{}"],
  ["that is empty", ""],
  ["of space alone", " \n\t\n"],
  ["of a byte order mark alone", "\uFEFF"],
  ["with a line in its braces", "{\n}\n"],
  ["on one line", '{"model":"opus","hooks":{"Stop":[{"hooks":[]}]}}'],
  ["of tabs without a line feed at its end", '{\n\t"model": "opus"\n}'],
  ["with carriage returns", '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n'],
  ["with a byte order mark", '\uFEFF{\n  "model": "opus"\n}\n'],
  ["with hooks of others", others],
  ["with escapes", '{"note": "\\u00e9 \\"hooks\\": {}", "hooks": {"Stop": [ ]}}\n'],
];

describe.each(files)("a settings file %s", (_what, before) => {
  test("says what the recipe says after installing, and what it said before besides", () => {
    const { after, record } = install(before);
    const { hooks, ...rest } = settingsIn(after);
    const { hooks: had = {}, ...hadRest } = settingsIn(before);
    expect(rest).toEqual(hadRest);
    for (const [event, group] of hookGroups(claudeCodeRecipe, launcher, null)) {
      expect(hooks[event]).toEqual([...(had[event] ?? []), group]);
    }
    for (const event of Object.keys(had))
      expect(hooks[event].slice(0, had[event].length)).toEqual(had[event]);
    expect(record?.commands).toHaveLength(claudeCodeRecipe.hooks.length);
  });

  test("is byte for byte what it was after uninstalling", () => {
    const { after, record } = install(before);
    expect(uninstall(after, record)).toBe(before);
  });

  test("is not changed by installing again", () => {
    const { after, record } = install(before);
    expect(install(after, record ?? undefined)).toEqual({ after, record });
  });

  test("is what it was after an update from another place and uninstalling", () => {
    const first = install(before, undefined, "/old/hooks");
    const second = install(first.after, first.record ?? undefined);
    expect(second.after).toBe(install(before).after);
    expect(uninstall(second.after, second.record)).toBe(before);
  });

  test("loses only our hooks when something else was changed since", () => {
    const { after, record } = install(before);
    const edited = (after ?? "").replace("{", '{"theme": "dark",');
    const left = settingsIn(uninstall(edited, record));
    expect(left).toEqual({ theme: "dark", ...settingsIn(before) });
  });

  test("loses our hooks without a record of them too", () => {
    const left = uninstall(install(before).after);
    expect(left).not.toContain("mem-hook");
    expect(settingsIn(left).model).toBe(settingsIn(before).model);
  });
});

test("hooks that somebody added beside ours stay", () => {
  const { after, record } = install(null);
  const settings = JSON.parse(after ?? "");
  settings.hooks.Stop[0].hooks.push({ type: "command", command: "say done" });
  settings.hooks.Notification = [{ hooks: [{ type: "command", command: "beep" }] }];
  expect(JSON.parse(uninstall(JSON.stringify(settings), record) ?? "")).toEqual({
    hooks: {
      Stop: [{ hooks: [{ type: "command", command: "say done" }] }],
      Notification: [{ hooks: [{ type: "command", command: "beep" }] }],
    },
  });
});

test("one missing hook is put back by installing again", () => {
  const { after, record } = install(others);
  const settings = JSON.parse(after ?? "");
  delete settings.hooks.Stop;
  const again = install(JSON.stringify(settings), record ?? undefined).after;
  expect(JSON.parse(again ?? "").hooks.Stop).toHaveLength(1);
  expect(JSON.parse(again ?? "").hooks.PostToolUse).toHaveLength(2);
});

test.each(['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": "none"}', "[]", "{", '{"a": 1} // mine'])(
  "%j is left as it is, and the error says so",
  (before) => {
    expect(() => install(before)).toThrow(expect.objectContaining({ code: "host_settings_unreadable" }));
  },
);

test("a settings file that is gone has nothing to uninstall", () => {
  expect(uninstall(null, install(null).record)).toBeNull();
});
