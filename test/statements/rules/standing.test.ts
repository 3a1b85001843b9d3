// The gates of the rule classifier: false rules, hostile texts, rules found. And single wordings.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { typedParts } from "../../../src/core/tools/typed-text.ts";
import { type Standing, standingOf } from "../../../src/statements/rules/standing.ts";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

describe("the gates", () => {
  test.each([false, true])("at most 2 % of ordinary prompts state a rule (follow-up: %s)", (isFollowUp) => {
    const prompts = Object.values(load<Record<string, Groups>>("ordinary-prompts")).flatMap(promptsOf);
    const wrong = prompts.flatMap((prompt) => standingIn(prompt, isFollowUp).slice(0, 1));
    expect(prompts.length).toBeGreaterThanOrEqual(400);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(prompts.length * 0.02);
  });

  test.each([false, true])("finds no rule in foreign text (follow-up: %s)", (isFollowUp) => {
    const prompts = promptsOf(load<Groups>("hostile-contents"));
    expect(prompts.length).toBeGreaterThanOrEqual(60);
    expect(prompts.flatMap((prompt) => standingIn(prompt, isFollowUp))).toEqual([]);
  });

  test.each(["tuned", "held"])("rules as people type them, %s half: 85 %% found, 3 %% false", (half) => {
    const { rules, ordinary } = load<Record<string, Record<"rules" | "ordinary", Groups>>>("typed-prompts")[
      half
    ] ?? { rules: {}, ordinary: {} };
    const missed = promptsOf(rules).filter((prompt) => standingIn(prompt, false).length === 0);
    const wrong = promptsOf(ordinary).filter((prompt) => standingIn(prompt, false).length > 0);
    expect(promptsOf(rules).length).toBeGreaterThanOrEqual(40);
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(promptsOf(rules).length * 0.15);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(promptsOf(ordinary).length * 0.03);
  });

  test("finds at least 94 % of the rules with their reach, and nothing else", () => {
    const { missed, beside, misplaced, total } = measureRules();
    expect(total).toBeGreaterThanOrEqual(160);
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(total * 0.06);
    expect(beside.length, beside.join("\n")).toBeLessThanOrEqual(total * 0.02);
    expect(misplaced.length, misplaced.join("\n")).toBeLessThanOrEqual(total * 0.03);
  });
});

describe("the form and the reach of a rule", () => {
  const rows: [string, Standing["form"], Standing["reach"]][] = [
    ["we use pnpm here", "do", "project"],
    ["please never edit anything in gen/ by hand", "never", "project"],
    ["Nobody pushes to main.", "never", "project"],
    ["From now on every migration has a down script", "do", "project"],
    ["in all my projects: never force push", "never", "everywhere"],
    ["always answer me in German", "do", "everywhere"],
    ["always answer in the style of our docs", "do", "project"],
    ["Don't touch the files under vendor/.", "never", "project"],
    ["Use tabs, not spaces, in Makefiles.", "never", "project"],
    ["Nicht npm benutzen!", "never", "project"],
    ["this machine has no internet access", "do", "project"],
    ["Actually, drop the rule about make lint: we now use `just lint`.", "do", "project"],
    ["Forget the changelog rule.", "do", "project"],
    ["bei uns wird in gen/ nie etwas von Hand geändert", "never", "project"],
  ];
  test.each(rows)("%s", (sentence, form, reach) => {
    expect(standingOf(sentence, first)).toMatchObject({ standing: true, form, reach, pointsBack: false });
  });
});

test.each([
  ["Same for all figures from here on.", true],
  ["das gilt für alle Module", true],
  ["C'est valable partout.", true],
  ["All figures are SVG from here on.", false],
])("%s points to the sentence before it: %s", (sentence, pointsBack) => {
  expect(standingOf(sentence, first)).toMatchObject({ pointsBack });
});

describe("sentences that resemble rules", () => {
  test.each([
    ["a question", "do we always use pnpm here?"],
    ["a question without its mark", "why do we never use npm here"],
    ["a one-off", "for now we use npm here"],
    ["a one-off of a branch", "in this branch never run the e2e tests"],
    ["a report", "Paul says we never use npm here"],
    ["an opinion", "I think we should always use pnpm here"],
    ["a quotation", 'the label is "We never sell your data in this project"'],
    ["a code span", "what `never commit to main` prints"],
    ["a bug", "our tests never work on Windows"],
    ["a bug in words of two languages", "Webhook signatures fail on staging."],
    ["a wish for the product", "the API must always return 404 for unknown tenants"],
    ["the past", "we always used npm in this project last year, was slow"],
    ["a lead-in", "our rules:"],
    ["a rule of the product", "remove the rule about negative totals in the cart"],
    ["a rule of a linter", "drop the eslint rule about unused variables"],
    ["a value of one function", "use a map, not a list"],
    ["a place", "use tabs here, the file already has them"],
    ["a signature", "don't change the signature of foo()"],
    ["a file in work", "don't touch src/app.ts, I have open changes there"],
    ["an error", "git push was rejected: remote: error: Never push to main directly"],
    ["a long text", `we use pnpm here, ${"and more ".repeat(80)}`],
  ])("%s", (_what, sentence) => {
    expect(standingOf(sentence, first)).toBeNull();
  });
});

// Each row has one form in several languages: what every piece of code needs, what is done in every case, how a text
// looks, what runs in production, wishes on answers and commits.
describe("rules in common forms", () => {
  test.each([
    "Every public function needs a docstring with an example.",
    "Make sure every new table gets a created_at column",
    "Jede öffentliche Funktion braucht einen Docstring mit Beispiel.",
    "Cada función pública necesita un docstring con ejemplo.",
    "Chaque fonction publique doit avoir une docstring avec un exemple.",
    "Toda função pública precisa de docstring com exemplo.",
    "У каждой публичной функции должен быть docstring с примером.",
    "每个公开函数都要有带示例的 docstring。",
    "公開関数には必ず例付きのdocstringを書いてください。",
    "When you add an endpoint, add it to openapi.yaml too.",
    "Wenn du einen Endpunkt hinzufügst, trag ihn auch in openapi.yaml ein.",
    "Cuando añadas un endpoint, añádelo también a openapi.yaml.",
    "Quand tu ajoutes un endpoint, ajoute-le aussi dans openapi.yaml.",
    "Quando adicionar um endpoint, adicione também no openapi.yaml.",
    "Когда добавляешь эндпоинт, добавь его и в openapi.yaml.",
    "添加接口的时候也要写进 openapi.yaml。",
    "エンドポイントを追加したらopenapi.yamlにも追記してください。",
    "Log-Zeilen immer klein und ohne Punkt am Ende.",
    "Los logs siempre en minúsculas y sin punto final.",
    "Les lignes de log sont toujours en minuscules, sans point final.",
    "As linhas de log são sempre em minúsculas e sem ponto final.",
    "Строки лога всегда в нижнем регистре и без точки в конце.",
    "ログは常に小文字で、末尾に句点を付けない。",
    "We're on Python 3.9 in production, so no match statements.",
    "In Produktion läuft Python 3.9, also keine match-Anweisungen.",
    "En production on est en Python 3.9, donc pas de match.",
    "В проде Python 3.9, так что никаких match.",
    "本番はPython 3.9なのでmatch文は使えません。",
    "I want small commits: one logical change each.",
    "Ich will kleine Commits, eine logische Änderung pro Commit.",
    "Quiero commits pequeños, un cambio lógico por commit.",
    "Je veux de petits commits, un changement logique par commit.",
    "Quero commits pequenos, uma mudança lógica por commit.",
    "Хочу маленькие коммиты, одно логическое изменение на коммит.",
    "我要小的提交，每个提交只做一件事。",
    "コミットは小さく、一つのコミットに一つの変更で。",
    "No recap at the end please",
    "Lass die Zusammenfassung am Ende weg, ich lese den Diff selbst.",
    "No me hagas un resumen al final, ya leo el diff.",
    "Ne fais pas de résumé à la fin, je lis le diff moi-même.",
    "Não faça resumo no final, eu leio o diff.",
    "Не пиши резюме в конце, я сам читаю диф.",
    "最后不用写总结，我自己看 diff。",
    "最後のまとめは不要です。",
    "Frag mich, bevor du eine Datei löschst.",
    "Pregúntame antes de borrar un archivo.",
    "Спрашивай, прежде чем удалять файл.",
    "删文件之前先问我。",
    "Our convention: error codes are E followed by four digits.",
    "Bei Fehlercodes gilt: E und vier Ziffern.",
    "You should never touch the vendored sqlite sources.",
    "The public API must stay backwards compatible.",
    "Die öffentliche API muss abwärtskompatibel bleiben.",
    "Tests liegen neben dem Code und nicht in einem eigenen Ordner.",
    "Todos los textos de usuario pasan por gettext.",
    "ユーザー向けの文言はすべてgettextを通します。",
  ])("%s", (sentence) => {
    expect(standingOf(sentence, { ...first, prompt: sentence })).not.toBeNull();
  });

  test.each([
    "Every page needs a title.",
    "When you add a comment, send a mail to the author.",
    "You can always change it later.",
    "we're on page 3 of the report",
    "we are at version 2 now",
    "I want the branches shown in the sidebar.",
    "update our privacy rules page",
    "Jede Zeile braucht eine Checkbox.",
    "Wenn du eine Bestellung löschst, ist die Liste leer.",
    "Cuando crees un pedido, envía un correo.",
    "Quand tu crées une commande, envoie un mail.",
    "Cada linha precisa de um botão.",
    "Когда создаёшь заказ, отправляй письмо.",
    "加载的时候都会卡",
    "削除したらエラーも出る",
  ])("%s is a wish or a report", (sentence) => {
    expect(standingOf(sentence, { ...first, prompt: sentence })).toBeNull();
  });
});

test.each([
  ["Add a test. Don't touch vendor/.", true],
  ["Refactor the parser. Don't touch src/lexer/.", false],
  ["Add zod. Use pnpm, not npm.", true],
  ["Sort the rows. Use recursion, not loops.", false],
])("beside a task, in %j a rule stands: %s", (prompt, stands) => {
  expect(standingIn(prompt, false).length > 0).toBe(stands);
});

test("some wishes are rules only when they correct the agent", () => {
  const sentence = "one or two sentences at the end, no headings";
  expect(standingOf(sentence, first)).toBeNull();
  expect(standingOf(sentence, { ...first, isFollowUp: true, previousClosing: "Done." })).not.toBeNull();
});

type Groups = Record<string, string[]>;

const first = { prompt: "", isFollowUp: false, previousClosing: null };

function load<T>(name: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../fixtures/statements/${name}.json`, import.meta.url), "utf8"),
  ) as T;
}

function promptsOf(groups: Groups): string[] {
  return Object.values(groups).flat();
}

function standingIn(prompt: string, isFollowUp: boolean): string[] {
  return rulesIn(prompt, isFollowUp).map(({ text }) => text);
}

function rulesIn(prompt: string, isFollowUp: boolean): { text: string; rule: Standing }[] {
  const context = { prompt, isFollowUp, previousClosing: isFollowUp ? "Done." : null };
  return sentencesOf(typedParts(prompt).typed).flatMap(({ text }) => {
    const rule = standingOf(text, context);
    return rule === null ? [] : [{ text, rule }];
  });
}

// Where a prompt says more than its rule, double brackets enclose the rule.
function measureRules() {
  const result = { missed: [] as string[], beside: [] as string[], misplaced: [] as string[], total: 0 };
  for (const groups of Object.values(load<Record<string, Groups>>("standing-rules"))) {
    for (const [group, prompts] of Object.entries(groups)) {
      for (const prompt of prompts) {
        const stated = /\[\[(.*?)\]\]/s.exec(prompt)?.[1] ?? prompt;
        const found = rulesIn(prompt.replace(/\[\[|\]\]/g, ""), group === "correction");
        const inside = found.filter(({ text }) => overlaps(text, stated));
        result.total++;
        if (inside.length === 0) result.missed.push(stated);
        if (inside.length < found.length) result.beside.push(prompt);
        const reach = group === "everywhere" ? "everywhere" : "project";
        if (inside.some(({ rule }) => rule.reach !== reach)) result.misplaced.push(stated);
      }
    }
  }
  return result;
}

function overlaps(text: string, stated: string): boolean {
  return stated.includes(text.slice(0, 20)) || text.includes(stated.slice(0, 20));
}
