import { describe, expect, test } from "vitest";
import { firstRemoteUrl, remoteIdentity } from "../../../src/capture/projects/remote.ts";

describe("a remote is the same in every spelling:", () => {
  test.each([
    "https://github.com/owner/name",
    "ssh://git@ssh.github.com:443/owner/name.git",
    "https://github.com/owner/name.git",
    "https://github.com/owner/name/",
    "https://user:secret@github.com/owner/name.git",
    "https://token@github.com:443/owner/name.git?depth=1#top",
    "http://GitHub.COM/Owner/Name.git",
    "git@github.com:owner/name.git",
    "git@github.com:/owner/name.git",
    "github.com:owner/name",
    "ssh://git@github.com/owner/name.git",
    "ssh://git@github.com:22/owner/name",
    "git+ssh://git@github.com:2222//owner/name.git",
    "git://github.com./owner/name.git",
    "  https://us%40er:p%40ss@w0rd@github.com/owner/./name.git  ",
  ])("%s", (url) => {
    expect(remoteIdentity(url)).toBe("github.com/owner/name");
  });
});

test.each([
  ["two hosts", "https://a.example/x/y", "https://b.example/x/y"],
  ["two paths", "https://a.example/x/y", "https://a.example/x/z"],
  ["two cases of a path", "https://a.example/x/Y", "https://a.example/x/y"],
  ["two ports of the web", "http://localhost:3000/x/y", "http://localhost:4000/x/y"],
])("%s are two remotes", (_what, one, other) => {
  expect(remoteIdentity(one)).not.toBe(null);
  expect(remoteIdentity(one)).not.toBe(remoteIdentity(other));
});

test.each([
  "",
  "/srv/git/name.git",
  "../name",
  "./name:with/colon",
  "file:///srv/git/name.git",
  "C:\\work\\name",
  "C:/work/name",
  "ext::sh -c whoami",
  "https://github.com",
  "https:///owner/name",
  "git@github.com:",
  `https://a.example/${"x".repeat(3000)}`,
  "https://a.example/x\u0000y",
])("%s is no remote that tells projects apart", (url) => {
  expect(remoteIdentity(url)).toBe(null);
});

test("no part of a user or a password is kept", () => {
  for (const url of [
    "https://u:hunter2@h.example/a/b",
    "ssh://hunter2@h.example/a/b",
    "hunter2@h.example:a/b",
  ])
    expect(remoteIdentity(url)).toBe("h.example/a/b");
});

describe("the configuration of a repository", () => {
  test("names origin before the others, else the first one", () => {
    const other = '[remote "fork"]\n\turl = https://a.example/fork\n';
    expect(firstRemoteUrl(`${other}[remote "origin"]\n\turl = https://a.example/origin\n`)).toBe(
      "https://a.example/origin",
    );
    expect(firstRemoteUrl(`${other}[remote "last"]\nurl=https://a.example/last`)).toBe(
      "https://a.example/fork",
    );
  });

  test("is read with quotes, comments, continued lines, case and one-line sections", () => {
    expect(
      firstRemoteUrl('[Remote "origin"] ; first\r\n  URL = "https://a.example/\\\nx;y" # said\r\n'),
    ).toBe("https://a.example/x;y");
    expect(firstRemoteUrl('[core]\n bare = false\n[remote "origin"] url = git@a.example:x')).toBe(
      "git@a.example:x",
    );
  });

  test("has no remote where none has an address", () => {
    expect(firstRemoteUrl("")).toBe(null);
    expect(firstRemoteUrl('[remote "origin"]\n fetch = +refs/heads/*\n[branch "a"]\n url = x\n')).toBe(null);
    expect(firstRemoteUrl('[url "https://evil.example/"]\n insteadOf = https://a.example/\n')).toBe(null);
    expect(firstRemoteUrl("[include]\n path = /etc/passwd\n")).toBe(null);
    expect(firstRemoteUrl("\0\u00ff[[[[remote ".repeat(5000))).toBe(null);
  });
});
