// Real repositories: a checkout that follows a remote, both in a temporary directory.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBranch, createGit, type RunGit } from "../../src/worker/branch.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const env = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

interface Checkout {
  root: string;
  remote: string;
  run(folder: string, ...args: string[]): string;
  commit(folder: string, file: string, text?: string): void;
}

function checkout(): Checkout {
  const home = tempDir();
  const [remote, root] = [join(home, "remote"), join(home, "checkout")];
  const run = (folder: string, ...args: string[]) =>
    execFileSync("git", args, { cwd: folder, env: { ...env, HOME: home }, encoding: "utf8" }).trim();
  const commit = (folder: string, file: string, text = file) => {
    writeFileSync(join(folder, file), text);
    run(folder, "add", ".");
    run(folder, "commit", "-qm", file);
  };
  mkdirSync(remote);
  run(remote, "init", "-q", "-b", "main");
  commit(remote, "one");
  run(remote, "branch", "next");
  run(home, "clone", "-q", remote, root);
  return { root, remote, run, commit };
}

/** The ports over the checkout, and every call of git. */
function recorded({ root }: Pick<Checkout, "root">) {
  const calls: (readonly string[])[] = [];
  const real = createGit(root, { ...env, HOME: root });
  const git: RunGit = (args) => {
    calls.push(args);
    return real(args);
  };
  return { calls, branch: createBranch({ root, version: "1.2.3", git }) };
}

test("the status names branch, remote branch and the distance between them", async () => {
  const made = checkout();
  const { branch } = recorded(made);
  const here = { installed: "checkout", version: "1.2.3", current: "main", remote: "origin/main" };
  expect(await branch.status()).toMatchObject({ ...here, ahead: 0, behind: 0 });
  made.commit(made.remote, "two");
  made.run(made.root, "fetch", "-q");
  made.commit(made.root, "mine");
  expect(await branch.status()).toMatchObject({ ...here, ahead: 1, behind: 1 });
  made.run(made.root, "switch", "-q", "--detach");
  expect(await branch.status()).toMatchObject({ current: null, remote: null, ahead: 0, behind: 0 });
});

test("switches to a branch that is here, at the remote, or new there", async () => {
  const made = checkout();
  const { branch } = recorded(made);
  for (const name of ["next", "main", "late"]) {
    if (name === "late") made.run(made.remote, "branch", "late");
    expect(await branch.switchTo(name)).toEqual({
      success: true,
      next: expect.stringContaining("npm install"),
    });
    expect(made.run(made.root, "branch", "--show-current")).toBe(name);
  }
  await expect(branch.switchTo("nowhere")).rejects.toMatchObject({ code: "not_found" });
});

test("updates by fast-forward, says when nothing is new, and refuses a diverged branch", async () => {
  const made = checkout();
  const { branch } = recorded(made);
  expect(await branch.update()).toEqual({ success: true, updated: false, next: null });
  made.commit(made.remote, "two");
  expect(await branch.update()).toMatchObject({ success: true, updated: true });
  expect(made.run(made.root, "log", "-1", "--format=%s")).toBe("two");
  made.commit(made.remote, "three");
  made.commit(made.root, "mine");
  await expect(branch.update()).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("1 ahead"),
  });
  expect(made.run(made.root, "log", "-1", "--format=%s")).toBe("mine");
});

test("a dirty tree stays as it is", async () => {
  const made = checkout();
  const { branch } = recorded(made);
  writeFileSync(join(made.root, "one"), "changed");
  for (const change of [() => branch.switchTo("next"), () => branch.update()]) {
    await expect(change()).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("stash"),
    });
  }
  expect(made.run(made.root, "branch", "--show-current")).toBe("main");
});

test("hooks of the repository do not run", async () => {
  const made = checkout();
  const hook = join(made.root, ".git", "hooks", "post-checkout");
  mkdirSync(join(made.root, ".git", "hooks"), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\ntouch ran\n");
  chmodSync(hook, 0o755);
  await recorded(made).branch.switchTo("next");
  expect(made.run(made.root, "status", "--porcelain")).toBe("");
});

test("git asks for no password, runs no maintenance and leaves submodules alone", async () => {
  const bin = tempDir();
  const said = join(bin, "said");
  const names = ["GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH_COMMAND", "GIT_DIR"];
  const script = `#!/bin/sh\nfor a in "$@"; do echo "$a"; done > ${said}\nenv | grep -E '^(${names.join("|")})=' >> ${said}\n`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  const asking = { GIT_ASKPASS: "/bin/ask", SSH_ASKPASS: "/bin/ask", GIT_DIR: "/else" };
  await createGit(tempDir(), { PATH: `${bin}:${process.env.PATH}`, ...asking })(["fetch"]);
  const lines = readFileSync(said, "utf8").split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      ...["core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false"],
      ...["fetch.recurseSubmodules=false", "fetch", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS="],
      "GIT_SSH_COMMAND=ssh -oBatchMode=yes",
    ]),
  );
  expect(lines.join("\n")).not.toContain("/else");
});

test("a remote that wants a password fails, and no program is asked for it", async () => {
  const made = checkout();
  const asked = join(made.root, "..", "asked");
  const ask = join(made.root, "..", "ask");
  writeFileSync(ask, `#!/bin/sh\ntouch ${asked}\necho secret\n`);
  chmodSync(ask, 0o755);
  const server = createServer((_request, response) => {
    response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  made.run(made.root, "remote", "set-url", "origin", `http://user@127.0.0.1:${port}/x.git`);
  made.run(made.root, "config", "core.askPass", ask);
  await expect(recorded(made).branch.update()).rejects.toMatchObject({ code: "conflict" });
  expect(existsSync(asked)).toBe(false);
});

test.each([
  "--upload-pack=touch$IFS",
  "-f",
  "--",
  "",
  " main",
  "main ",
  "main\n",
  "main;touch x",
  "main|x",
  "$(touch x)",
  "`x`",
  "main\0",
  "../main",
  "a..b",
  "a/../b",
  "/main",
  "main/",
  "a//b",
  "a/.b",
  "main.lock",
  "main.",
  "main^",
  "main~1",
  "main:x",
  "@{upstream}",
  "HEAD",
  "main@{1}",
  "märz",
  "*",
  "a b",
  "x".repeat(202),
])("git is not run for the name %j", async (name) => {
  const made = { root: tempDir() };
  mkdirSync(join(made.root, ".git"));
  const { calls, branch } = recorded(made);
  await expect(branch.switchTo(name)).rejects.toMatchObject({ code: "invalid_request" });
  expect(calls).toEqual([]);
});

test("a name reaches git after -- or inside a ref, and nothing else of a request does", async () => {
  const made = checkout();
  const { calls, branch } = recorded(made);
  await branch.switchTo("next");
  await branch.update();
  const withName = calls.filter((args) => args.some((arg) => arg.includes("next")));
  expect(withName).toEqual([
    ["for-each-ref", "--format=%(refname)", "--", "refs/heads/next", "refs/remotes/*/next"],
    ["switch", "--quiet", "--no-recurse-submodules", "--", "next"],
  ]);
});

test("a package answers with its version and how to update, and never runs git", async () => {
  const { calls, branch } = recorded({ root: tempDir() });
  expect(await branch.status()).toEqual({
    installed: "package",
    version: "1.2.3",
    current: null,
    remote: null,
    ahead: 0,
    behind: 0,
    update: expect.stringContaining("npm install -g agent-mem@latest"),
  });
  for (const change of [() => branch.switchTo("main"), () => branch.update()]) {
    await expect(change()).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("npm install"),
    });
  }
  expect(calls).toEqual([]);
});
