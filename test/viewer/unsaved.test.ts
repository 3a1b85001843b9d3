// Text that is not saved, in a browser: every way to leave a form asks first, and asks nothing when nothing was changed.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { CalledWorker } from "../helpers/called-worker.ts";
import { demoBrowser, type OpenPage } from "./browser.ts";

const { openDemo, openShared } = demoBrowser();

const question = (page: Page) => page.getByText("Discard the changes?");
const discard = (page: Page) => page.getByRole("button", { name: "Discard" });
const keep = (page: Page) => page.getByRole("button", { name: "Keep editing" });
const title = (page: Page) => page.getByLabel("Title", { exact: true });

/** Opens the form of observation 9 from Home and writes a title into it. */
async function openChanged(open: (link: string) => Promise<OpenPage> = openShared): Promise<OpenPage> {
  return changeTitle(await open("#/"));
}

async function changeTitle(opened: OpenPage): Promise<OpenPage> {
  const { page } = opened;
  await page.locator(".feed [data-row]", { hasText: "Users stay logged in after a deploy" }).click();
  await page.locator(".record-head").waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  await title(page).fill("Typed and not saved");
  return opened;
}

const ways: [how: string, leave: (page: Page) => Promise<unknown>, there: string][] = [
  ["a link", (page) => page.getByRole("link", { name: "Trash" }).click(), "#/trash"],
  [
    "a key",
    async (page) => {
      await page.getByRole("button", { name: "Save" }).focus();
      await page.keyboard.press("g");
      await page.keyboard.press("e");
    },
    "#/sessions",
  ],
  ["the back button", (page) => page.evaluate(() => history.back()), "#/"],
  [
    "an address",
    (page) =>
      page.evaluate(() => {
        location.hash = "#/status";
      }),
    "#/status",
  ],
  [
    "the search box",
    (page) => page.getByRole("searchbox", { name: "Search", exact: true }).pressSequentially("cart"),
    "#/search?q=cart",
  ],
];

test("every way to leave asks before the text is lost", async () => {
  const opened = await openShared("#/");
  const { page, show, errors } = opened;
  for (const [how, leave, there] of ways) {
    await show("#/");
    await changeTitle(opened);
    const form = page.url();
    await leave(page);
    await question(page).waitFor();
    await expect.poll(() => page.url(), { message: how }).toBe(form);
    await keep(page).click();
    await question(page).waitFor({ state: "detached" });
    expect([how, await title(page).inputValue()]).toEqual([how, "Typed and not saved"]);
    await leave(page);
    await discard(page).click();
    await expect.poll(() => new URL(page.url()).hash, { message: how }).toBe(there);
    await title(page).waitFor({ state: "detached" });
  }
  expect(errors).toEqual([]);
});

test("Escape asks, a second one keeps editing, and Save asks nothing", async () => {
  const { page, errors } = await openChanged(openDemo);
  await page.keyboard.press("Escape");
  await question(page).waitFor();
  await page.keyboard.press("Escape");
  await question(page).waitFor({ state: "detached" });
  expect(await title(page).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Typed and not saved" }).waitFor();
  expect(await question(page).count()).toBe(0);
  await page.goBack();
  await page.getByText("What happened").waitFor();
  expect(errors).toEqual([]);
});

test("a reload asks only while text is not saved", async () => {
  const { page, dialogs } = await openChanged();
  await title(page).press("End");
  await page.evaluate(() => location.reload());
  await expect.poll(() => dialogs.length).toBe(1);
  expect(await title(page).inputValue()).toBe("Typed and not saved");
  await page.keyboard.press("Escape");
  await discard(page).click();
  await page.getByRole("button", { name: "Edit" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Edit" }).waitFor();
  expect(dialogs).toHaveLength(1);
});

test("an open form with nothing changed is left without a question", async () => {
  const { page } = await openShared("#/record/observation/9?edit=1");
  await title(page).waitFor();
  await title(page).press("x");
  await title(page).press("Backspace");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("heading", { name: "Trash" }).waitFor();
});

test("another project asks while a rule is being written", async () => {
  const { page, errors } = await openDemo("#/");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("New rule for every project").fill("Half a rule");
  const project = page.locator(".sidebar select");
  await project.selectOption("shop");
  await question(page).waitFor();
  expect(await project.inputValue()).toBe("");
  await keep(page).click();
  expect(await page.getByLabel("New rule for every project").inputValue()).toBe("Half a rule");
  await project.selectOption("shop");
  await discard(page).click();
  await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
  expect(await project.inputValue()).toBe("shop");
  expect(errors).toEqual([]);
});

test("an entry that is being edited stays when others come in above it", async () => {
  const { page, worker } = await openDemo("#/");
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  await rules.locator("li", { hasText: "Run the linter" }).getByRole("button", { name: "Edit" }).click();
  await rules.getByLabel("Edit the rule").fill("Half an edit");
  for (const text of ["Write short commits.", "Never force a push."])
    await worker.post("/api/rules", { text, reach: "everywhere" });
  await rules.getByRole("button", { name: "Show all 6" }).waitFor();
  expect(await rules.getByLabel("Edit the rule").inputValue()).toBe("Half an edit");
});

test("each of two open forms is asked for", async () => {
  const { page } = await openShared("#/");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("New rule for every project").fill("Half a rule");
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  await rules.locator("li", { hasText: "Run the linter" }).getByRole("button", { name: "Edit" }).click();
  await rules.getByLabel("Edit the rule").fill("Half an edit");
  await page.getByRole("link", { name: "Trash" }).click();
  await discard(page).click();
  await question(page).waitFor();
  expect(await page.getByLabel("New rule for every project").count()).toBe(0);
  await discard(page).click();
  await page.getByRole("heading", { name: "Trash" }).waitFor();
});

async function remove({ port }: CalledWorker, path: string): Promise<void> {
  expect((await fetch(`http://127.0.0.1:${port}${path}`, { method: "DELETE" })).status).toBe(200);
}

test("a rule that others push down, and one that is replaced, keeps its open form", async () => {
  const { page, worker, errors } = await openDemo("#/");
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  const form = rules.getByLabel("Edit the rule");
  const say = async (text: string) => {
    const { body } = await worker.post("/api/rules", { text, reach: "project", project: "shop" });
    return (body as { rule: { id: number } }).rule.id;
  };
  const rule = await say("Name branches after their issue.");
  await rules.locator("li", { hasText: "Name branches" }).getByRole("button", { name: "Edit" }).click();
  await form.fill("Half an edit");
  for (const text of [
    "Write short commits.",
    "Never force a push.",
    "Keep functions flat.",
    "No new packages.",
  ])
    await say(text);
  await rules.getByRole("button", { name: "Show all 9" }).waitFor();
  const by = await say("Keep branches short.");
  await worker.post(`/api/observations/${rule}/status`, { status: "superseded", superseded_by: by });
  await rules.getByText(`Rule #${rule} is no longer in this list. Your text is still here.`).waitFor();
  expect(await form.inputValue()).toBe("Half an edit");
  expect(await form.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press("Escape");
  await discard(page).click();
  await form.waitFor({ state: "detached" });
  expect(await rules.getByText("no longer in this list").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a rule deleted during its edit keeps its form, and its page restores it", async () => {
  const { page, worker } = await openDemo("#/");
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  const entry = rules.locator("li", { hasText: "Run the linter" });
  const id = Number((await entry.getByRole("link").first().getAttribute("href"))?.split("/").at(-1));
  await entry.getByRole("button", { name: "Edit" }).click();
  await remove(worker, `/api/observations/${id}`);
  await rules.getByText(`Rule #${id} is no longer in this list. Your text is still here.`).waitFor();
  await rules.getByRole("link", { name: `Rule #${id}` }).click();
  await page.getByRole("button", { name: "Restore" }).waitFor();
});

test("a session deleted while it is renamed keeps the form", async () => {
  const { page, worker } = await openDemo("#/session/2");
  await page.getByRole("button", { name: "Rename" }).click();
  const title = page.getByLabel("Title of the session");
  await title.fill("Half a title");
  await remove(worker, "/api/sessions/2");
  await page.locator(".fault").first().waitFor();
  expect(await title.inputValue()).toBe("Half a title");
  await title.press("Escape");
  await discard(page).click();
  await page.getByRole("heading", { name: "Session 2 is in the trash" }).waitFor();
});
