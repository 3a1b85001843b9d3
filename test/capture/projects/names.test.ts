import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createReadGit } from "../../../src/capture/projects/git.ts";
import { createProjectNames, type ProjectNames } from "../../../src/capture/projects/names.ts";
import { createPlaces } from "../../../src/capture/projects/places.ts";
import { createRootCommits } from "../../../src/capture/projects/root-commits.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { linkWorkTree, makeRepository, write } from "./work-tree-support.ts";

let memory: MemoryStore;
let root: string;
let home: string;
let now: number;
let names: ProjectNames;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  root = tempDir();
  home = join(root, "home");
  mkdirSync(home);
  now = 0;
  names = open();
});

/** As the worker has it; `git` only where a test is about asking it. */
function open(git: string | null = null): ProjectNames {
  const rootCommits = createRootCommits(git === null ? null : createReadGit(git));
  onTestFinished(() => rootCommits.stop());
  const places = createPlaces({ clock: { now: () => now, monotonicMs: () => now }, home, rootCommits });
  return createProjectNames(places, memory.store.projects, rootCommits.asked);
}

/** What was read of a folder is read again. */
const later = () => {
  now += 60_000;
};
const at = (...parts: string[]) => join(home, ...parts);
const folder = (...parts: string[]) => {
  mkdirSync(at(...parts), { recursive: true });
  return at(...parts);
};

test("two folders of one name are two projects, however often they are asked", () => {
  const one = folder("work", "app");
  const other = folder("play", "app");
  expect([names.claim(one), names.claim(other)]).toEqual(["app", "play/app"]);
  later();
  expect([names.claim(other), names.claim(one), names.labelOf(other)]).toEqual([
    "play/app",
    "app",
    "play/app",
  ]);
  expect(names.claim(folder("far", "play", "app"))).toBe("far/play/app");
});

test("asking for a label writes nothing, and says what the project would be called", () => {
  expect(names.labelOf(folder("app"))).toBe("app");
  expect(memory.store.projects.find("app")).toBeUndefined();
});

test("every folder of a work tree is of its project", () => {
  const top = makeRepository(at("shop"), "https://a.example/x/shop.git");
  expect(names.claim(top)).toBe("shop");
  expect(names.labelOf(folder("shop", "src", "deep"))).toBe("shop");
});

test("clones, linked work trees and a moved folder of one remote are one project", () => {
  const main = makeRepository(at("shop"), "https://a.example/x/shop.git");
  expect(names.claim(main)).toBe("shop");
  expect(names.claim(makeRepository(at("second"), "git@a.example:x/shop.git"))).toBe("shop");
  expect(names.claim(linkWorkTree(main, at("trees", "feature")))).toBe("shop");
  renameSync(main, at("store"));
  later();
  expect(names.claim(at("store"))).toBe("shop");
  expect(names.labelOf(at("store"))).toBe("shop");
});

test("an unpacked archive with a remote does not take over an existing folder", () => {
  const { projects } = memory.store;
  const rootOf = () => projects.folderOf(projects.find("shop") ?? 0);
  const main = makeRepository(at("shop"), "https://a.example/x/shop.git");
  const archive = makeRepository(at("downloads", "evil"), "https://a.example/x/shop.git");
  expect([names.claim(main), names.claim(archive), rootOf()]).toEqual(["shop", "shop", main]);
  expect([names.claim(linkWorkTree(main, at("feature"))), rootOf()]).toEqual(["shop", main]);
  expect(projects.byIdentity(`path:${at("feature")}`)?.label).toBe("shop");
  renameSync(main, at("store"));
  later();
  expect([names.claim(at("store")), rootOf()]).toEqual(["shop", at("store")]);
  makeRepository(at("store"), "https://a.example/x/other.git");
  later();
  expect([names.claim(archive), rootOf()]).toEqual(["shop", archive]);
});

test("linked work trees fold without a remote, and are called after the main one", () => {
  const main = makeRepository(at("shop"));
  expect(names.claim(linkWorkTree(main, at("feature")))).toBe("shop");
  expect(names.claim(main)).toBe("shop");
  const bare = at("tool.git");
  write(join(bare, "config"), "[core]\n\tbare = true\n");
  expect(names.claim(linkWorkTree(bare, at("tool-a"), bare))).toBe("tool");
});

test("keeps the folder of a linked work tree that a session of its project went to", () => {
  const main = makeRepository(at("shop"));
  const session = { project: names.claim(main), cwd: main };
  const feature = linkWorkTree(main, at("feature"));
  expect(names.elsewhere(feature, session)).toBeUndefined();
  rmSync(feature, { recursive: true });
  later();
  expect(names.labelOf(feature)).toBe("shop");
});

test("of a past session only the folder beside its own is another project", () => {
  const session = { project: names.claim("/gone/work/app"), cwd: "/gone/work/app" };
  const elsewhere = ["lib", "app-fix", "app/src", "deep/lib"].map((folder) =>
    names.elsewhere(`/gone/work/${folder}`, session),
  );
  expect(elsewhere).toEqual(["lib", undefined, undefined, undefined]);
});

test.each([
  ["NFC", "NFD"],
  ["NFD", "NFC"],
] as const)("a folder spelled in %s and %s is one project", (one, other) => {
  expect(names.claim(at("Größe").normalize(one))).toBe("Größe");
  expect(names.claim(at("Größe").normalize(other))).toBe("Größe");
});

test("a submodule is a separate project", () => {
  const main = makeRepository(at("shop"), "https://a.example/x/shop.git");
  const own = join(main, ".git", "modules", "lib");
  write(join(own, "config"), '[remote "origin"]\n\turl = https://a.example/x/lib.git\n');
  write(join(main, "lib", ".git"), "gitdir: ../.git/modules/lib\n");
  expect(names.claim(main)).toBe("shop");
  expect(names.claim(join(main, "lib"))).toBe("lib");
});

test("identifies a repository without a remote by its first commit after a move", () => {
  const main = makeRepository(at("notes"), undefined, "a".repeat(40));
  expect(names.claim(main)).toBe("notes");
  renameSync(main, at("diary"));
  later();
  expect(names.claim(at("diary"))).toBe("notes");
  expect(names.claim(makeRepository(at("old", "notes"), undefined, "c".repeat(40)))).toBe("old/notes");
});

test("a folder that becomes a repository with a remote stays the same project", () => {
  const plain = folder("shop");
  expect(names.claim(plain)).toBe("shop");
  makeRepository(plain, undefined, "a".repeat(40));
  later();
  expect(names.claim(plain)).toBe("shop");
  makeRepository(plain, "https://a.example/x/shop.git", "a".repeat(40));
  later();
  expect(names.claim(plain)).toBe("shop");
  expect(names.claim(makeRepository(at("clone"), "https://a.example/x/shop.git"))).toBe("shop");
});

test("another repository in the same folder is another project", () => {
  const workspace = makeRepository(at("workspace"), "https://a.example/x/one.git");
  expect(names.claim(workspace)).toBe("workspace");
  rmSync(workspace, { recursive: true });
  makeRepository(workspace, "https://a.example/x/two.git");
  later();
  const second = names.claim(workspace);
  expect(second).not.toBe("workspace");
  rmSync(workspace, { recursive: true });
  makeRepository(workspace, "https://a.example/x/one.git");
  later();
  expect(names.claim(workspace)).toBe("workspace");
});

test("a renamed remote or another name of its host is the same project, a fork is not", () => {
  const first = "a".repeat(40);
  const shop = makeRepository(at("shop"), "git@work-alias:acme/shop.git", first);
  expect(names.claim(shop)).toBe("shop");
  expect(names.claim(makeRepository(at("clone"), "git@a.example:Acme/shop.git", first))).toBe("shop");
  expect(names.claim(makeRepository(at("fork"), "git@a.example:me/shop.git", first))).toBe("fork");
  makeRepository(shop, "git@a.example:acme/store.git", first);
  later();
  expect(names.claim(shop)).toBe("shop");
  makeRepository(shop, "git@a.example:acme/other.git", "c".repeat(40));
  later();
  expect(names.claim(shop)).not.toBe("shop");
});

test("knows a work tree that is gone by its remote, and each spelling of a folder", () => {
  names.claim(makeRepository(at("shop"), "https://a.example/x/shop.git"));
  expect(names.labelOfGone(at("trees", "one"), "git@a.example:x/shop")).toBe("shop");
  expect(names.labelOfGone(at("shop"), "git@a.example:x/shop")).toBeUndefined();
  mkdirSync(at("notes"));
  expect(names.labelOfGone(at("notes"), "git@a.example:x/dotfiles")).toBeUndefined();
  const trees = [".codex/worktrees/1a/api", ".codex/worktrees/2b/api/src"].map((path) =>
    names.claim(at(path)),
  );
  expect(trees).toEqual(["api", "api"]);
  expect(names.claim(at(".cursor/worktrees/api/3c"))).not.toBe("api");
  const spelled = ["Q:\\Work\\web", "q:/Work/web/", "q:\\Work\\x\\..\\web"].map((path) => names.claim(path));
  expect(spelled).toEqual(["web", "web", "web"]);
});

test("records with only a label go to the first project of that name", () => {
  memory.addObservation({ project: "app" });
  expect(names.labelOf(folder("work", "app"))).toBe("app");
  expect(names.claim(at("work", "app"))).toBe("app");
  expect(names.claim(folder("play", "app"))).toBe("play/app");
});

test("what came from nowhere is not taken over by a folder of that name", () => {
  memory.addObservation({ project: "unknown" });
  expect(names.claim(folder("work", "unknown"))).toBe("work/unknown");
});

test("a repository in the home folder is not that of all the folders below it", () => {
  makeRepository(home, "https://a.example/x/dotfiles.git");
  expect(names.claim(home)).toBe("home");
  expect(names.claim(folder("app"))).toBe("app");
  expect(names.labelOf("/")).toBe("root");
});

test("a link to a folder is that folder, and a path of nowhere is called after its end", () => {
  const real = folder("app");
  symlinkSync(real, join(root, "link"));
  expect(names.claim(real)).toBe("app");
  expect(names.claim(join(root, "link"))).toBe("app");
  expect(names.claim("/nowhere/at/all/thing")).toBe("thing");
  expect(names.claim("thing else")).toBe("thing else");
});

test("ignores a .git file that points to the repository of another folder", () => {
  const mine = makeRepository(join(root, "w", "private"), "git@corp.example:me/private");
  const tree = linkWorkTree(mine, join(root, "w", "private-2"));
  expect([names.claim(mine), names.claim(tree)]).toEqual(["private", "private"]);
  for (const [at, target] of [
    ["tool", join(mine, ".git")],
    ["other", join(mine, ".git", "worktrees", "linked")],
  ] as const) {
    write(join(root, "dl", at, ".git"), `gitdir: ${target}\n`);
    expect(names.claim(join(root, "dl", at))).toBe(at);
  }
  mkdirSync(join(root, "dl", "linked"));
  symlinkSync(join(mine, ".git"), join(root, "dl", "linked", ".git"));
  expect(names.claim(join(root, "dl", "linked"))).toBe("linked");
});

test("a linked work tree that was moved is still of its project", () => {
  const main = makeRepository(join(root, "w", "shop"), "git@corp.example:me/shop");
  const tree = linkWorkTree(main, join(root, "w", "shop-fix"));
  expect(names.claim(main)).toBe("shop");
  renameSync(tree, join(root, "elsewhere"));
  expect(names.claim(join(root, "elsewhere"))).toBe("shop");
});

test("a hostile or broken .git names nothing outside and blocks nothing", () => {
  for (const [name, text] of Object.entries({
    endless: `gitdir: ${"x/".repeat(100_000)}`,
    share: "gitdir: //evil.example/share",
    nothing: "",
    binary: "\0\u00ff\0",
  })) {
    write(at(name, ".git"), text);
    expect(names.claim(at(name))).toBe(name);
  }
  execFileSync("mkfifo", [join(makeRepository(at("pipe")), ".git", "commondir")]);
  rmSync(at("pipe", ".git", "config"));
  execFileSync("mkfifo", [at("pipe", ".git", "config")]);
  expect(names.claim(at("pipe"))).toBe("pipe");
});

test("reads a configuration of empty lines fast; values do not span lines", () => {
  const app = makeRepository(folder("app"));
  write(join(app, ".git", "config"), `${"\n".repeat(200_000)}[extensions]\nobjectformat\n= sha256\n`);
  const rootCommits = createRootCommits(null);
  const placeOf = createPlaces({ clock: { now: () => now, monotonicMs: () => now }, home, rootCommits });
  expect(placeOf(app).objectFormat).toBe("sha1");
  write(join(folder("sha"), ".git", "config"), "[extensions]\n\tobjectFormat = sha256\n");
  expect(placeOf(at("sha")).objectFormat).toBe("sha256");
});

test("a secret in the name of a folder or an address reaches no table", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const repository = makeRepository(at(secret), `https://a.example/${secret}/x.git`);
  names.claim(repository);
  const rows = ["projects", "project_identities"].flatMap((table) =>
    memory.db.prepare(`select * from ${table}`).raw().all(),
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test("what was claimed in a write that failed is claimed again", async () => {
  const path = folder("app");
  const failed = memory.store.commit(() => {
    names.claim(path);
    throw new TypeError("no");
  });
  await expect(failed).rejects.toMatchObject({ code: "internal" });
  expect(memory.store.projects.find("app")).toBeUndefined();
  expect(await memory.store.commit(() => names.claim(path))).toBe("app");
  expect(memory.store.projects.byIdentity(`path:${path}`)?.label).toBe("app");
});

const git = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git"].find((path) => {
  try {
    return execFileSync(path, ["--version"]).length > 0;
  } catch {
    return false;
  }
});

test.runIf(git !== undefined)(
  "git's own repositories, work trees and first commits are read as they are",
  async () => {
    const run = (cwd: string, ...words: string[]) =>
      execFileSync(git ?? "git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...words], {
        cwd,
        stdio: "pipe",
        env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      });
    const main = folder("shop");
    run(main, "init", "-q");
    run(main, "commit", "-q", "--allow-empty", "-m", "begin");
    run(main, "worktree", "add", "-q", at("feature"));
    names = open(git ?? null);
    expect([names.claim(main), names.claim(at("feature"))]).toEqual(["shop", "shop"]);
    // The log goes when it is old; then git itself is asked, behind the caller, and no program of the repository runs.
    cpSync(main, at("copy"), { recursive: true });
    rmSync(at("copy", ".git", "logs"), { recursive: true });
    run(at("copy"), "config", "core.fsmonitor", `touch ${at("was-run")}`);
    const asked = open(git ?? null);
    await asked.settle(at("copy"));
    expect(asked.claim(at("copy"))).toBe("shop");
    run(main, "remote", "add", "origin", "https://a.example/x/shop.git");
    later();
    expect(asked.claim(main)).toBe("shop");
    expect(basename(main)).toBe("shop");
  },
);

test.each([".worktrees/2", ".claude/worktrees/fix-login/src"])(
  "a work tree in %s belongs to its main folder where neither is on the disk",
  (place) => {
    const main = join(root, "elsewhere", "shop");
    expect(names.labelOf(join(main, place))).toBe(names.labelOf(main));
  },
);
