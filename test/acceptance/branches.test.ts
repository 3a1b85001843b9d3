// The branch of a record through the built worker: a session on a branch, one on main before and after the merge.
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitRepository } from "../helpers/git-repository.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startWorker, until, type WorkerProcess, workerHome } from "../helpers/worker-process.ts";

interface Hit {
  id: number;
  title: string;
  branch?: string | null;
  commit?: string | null;
  merged?: boolean;
}

async function search(worker: WorkerProcess, cwd: string, words: string): Promise<Hit[]> {
  const asked = new URLSearchParams({ query: words, type: "observations", cwd });
  const { body } = await worker.get(`/api/search?${asked}`);
  return (body as { observations: Hit[] }).observations;
}

const soon = (is: () => Promise<boolean>) =>
  until(async () => (await is()) || undefined, 30_000, "the answer");

test("marks records of a branch and ranks them lower, until the branch is merged", async () => {
  const root = tempDir();
  const repository = gitRepository(join(root, "shop"));
  const { folder, git, commit } = repository;
  const worker = await startWorker(workerHome());
  const hook = async (event: string, payload: object): Promise<string> => {
    const given = { session_id: "s", cwd: folder, hook_event_name: event, ...payload };
    const { status, body } = await worker.post(`/api/hooks/claude-code/${event}`, given);
    expect(status).toBe(200);
    return typeof body === "string" ? body : JSON.stringify(body);
  };
  const turn = async (session_id: string, prompt: string, conclusion: string): Promise<void> => {
    await hook("UserPromptSubmit", { session_id, prompt });
    await hook("Stop", { session_id, last_assistant_message: conclusion });
  };
  const first = async (): Promise<Hit | undefined> =>
    (await search(worker, folder, "timeout of the payment client"))[0];
  const onMain = "The timeout of the payment client is 30 seconds because the bank answers late.";
  const onFeat = "The timeout of the payment client is 5 seconds because the bank answers fast now.";
  await turn("s1", "Why does the payment client wait so long?", onMain);
  await soon(async () => (await first())?.title.includes("30 seconds") === true);
  git("switch", "--quiet", "--create", "feat/x");
  await turn("s2", "Why is the payment client fast here?", onFeat);
  await soon(async () =>
    (await search(worker, folder, "5 seconds bank")).some(({ title }) => title.includes("5 seconds")),
  );
  commit("b.txt", "two\n");
  git("switch", "--quiet", "main");

  // The check runs in the background: the next answer has it.
  await soon(async () =>
    (await search(worker, folder, "5 seconds bank")).some(({ merged }) => merged === false),
  );
  const before = await search(worker, folder, "timeout of the payment client");
  expect(before[0]).toMatchObject({ branch: "main", merged: true });
  const other = before.find(({ title }) => title.includes("5 seconds"));
  expect(other).toMatchObject({ branch: "feat/x", merged: false });
  const marked = ({ branch, merged }: Hit) => branch === "feat/x" && merged === false;
  const feed = (await worker.get("/api/feed")).body as { items: Hit[] };
  expect(feed.items.filter(marked).map(({ id }) => id)).toContain(other?.id);
  const session = (await worker.get("/api/sessions/2/records")).body as { items: { record: Hit }[] };
  expect(session.items.length).toBeGreaterThan(1);
  expect(session.items.every(({ record }) => marked(record))).toBe(true);
  await expectBranchFilter(worker, { cwd: folder, branch: "feat/x", anchor: String(other?.id) });
  const started = await hook("SessionStart", { session_id: "s3", source: "startup" });
  expect(started).toContain("(branch feat/x, not merged)");
  git("merge", "--quiet", "--no-ff", "--no-edit", "feat/x");
  await soon(async () =>
    (await search(worker, folder, "5 seconds bank")).every(({ merged }) => merged === true),
  );
  const after = await search(worker, folder, "timeout of the payment client");
  expect(after.every(({ merged }) => merged === true)).toBe(true);
  expect(after.map(({ id }) => id)).toContain(other?.id);
  expect(await hook("SessionStart", { session_id: "s4", source: "startup" })).not.toContain("not merged");
  await worker.stop();
});

interface Asked {
  cwd: string;
  branch: string;
  anchor: string;
}

/** `branch` leaves only records of that branch in a search and a timeline, and lists mark those that are not merged. */
async function expectBranchFilter(worker: WorkerProcess, { cwd, branch, anchor }: Asked): Promise<void> {
  const get = async (path: string, asked: Record<string, string>) =>
    (await worker.get(`${path}?${new URLSearchParams({ cwd, ...asked })}`)).body as Record<string, Hit[]>;
  const branches = (hits: readonly Hit[] = []) => [...new Set(hits.map((hit) => hit.branch))];
  for (const words of [{}, { query: "timeout of the payment client" }, { query: "paymen" }]) {
    const { observations, prompts } = await get("/api/search", { branch, ...words });
    expect(branches(observations), JSON.stringify(words)).toEqual([branch]);
    expect(branches(prompts)).toEqual([branch]);
    const none = await get("/api/search", { branch: "feat/none", ...words });
    expect([none.observations, none.sessions, none.prompts]).toEqual([[], [], []]);
  }
  const around = (await get("/api/timeline", { branch, anchor })) as unknown as Hit[];
  expect(around.length).toBeGreaterThan(1);
  expect(branches(around)).toEqual([branch]);
  const { items = [] } = await get("/api/feed", {});
  for (const one of items) expect(one.merged, one.title).toBe(one.branch !== branch);
  expect(branches(items)).toContain(branch);
}
