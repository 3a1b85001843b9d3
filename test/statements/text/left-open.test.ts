import { describe, expect, it } from "vitest";
import { saysLeftOpen } from "../../../src/statements/text/left-open.ts";

const open = [
  "Left: the retry of `fetchPage`, and its test.",
  "What is left: the dark theme of the settings page.",
  "Still open: the rename of `Basket` in the mobile client.",
  "Still open from before: the entry in the manual.",
  "Open: `sum 3 4` prints no total.",
  "The tests of the parser are fine. Left: the printer.",
  "Not migrated yet: the two audit tables.",
  "The printer is not converted yet.",
  "The migration of the invoices still has to be written.",
  "`README.md` does not mention the new flag yet.",
  "The release of 3.4 waits for the security team.",
  "The question whether we keep the old endpoint is still open.",
  "I have not tested it on Windows.",
  "Next: add a metric for waiting clients.",
  "Next steps: add a test for empty tables",
  "Still to do: a test for empty tables.",
  "I did not add a test for it yet.",
  "We haven't written the docs of the flag yet.",
  "The importer is half done, the exporter comes next.",
  "Four handlers are left.",
  "The lint errors in `scripts/` still make the build fail.",
  "Es fehlt noch: die Übersetzung der Fehlertexte.",
  "Die Doku zum Export steht noch aus.",
  "Noch offen: das Limit für große Anhänge.",
  "Der Umbau von `Kasse` ist noch nicht gemergt.",
  "Queda por migrar la tabla de clientes.",
  "Todavía no he escrito las pruebas del carrito.",
  "Il reste à écrire le test du panier.",
  "La page des factures n'est pas encore traduite.",
  "Ainda falta o teste do carrinho.",
  "Próximo passo: migrar a tabela de clientes.",
  "Осталось: тест для корзины.",
  "Перевод страницы счетов ещё не готов.",
  "购物车的测试还没写。",
  "カートのテストはまだ書いていません。",
];

const settled = [
  "`tools/todos.py` counts the word TODO in each file.",
  "The parser of TODO comments takes a name in brackets.",
  "18 tests pass, and the PR is open.",
  "`AuditLog` is open source.",
  "The pull request #12 is still open for review comments by design.",
  "I left it as it is.",
  "Next.js: the page is rendered on the server.",
  "The parser failed: the table did not exist yet.",
  "I did not change the parser.",
  "I left `config.yml` alone, as you asked.",
  "The panel moves to the left of the list.",
  "The build is still green.",
  "The start is still fast, 40 ms.",
  "The behaviour is still the same.",
  "Nothing is left to do.",
  "No open points.",
  "No allocation is left in the loop.",
  "The worker waits for the lock before it writes.",
  "The job waits for 5 minutes, then tries again.",
  "The socket is still open after the request, so the port stays in use.",
  "If the job is not started within a minute, the queue drops it.",
  "The page shows “Nothing here yet” when the list is empty.",
  "Pending messages are kept in `pending_messages`.",
  "eslint stops at the first error of a file.",
  "Der Port ist offen, aber die Firewall verwirft das Paket.",
  "Es ist nichts mehr offen.",
  "Los mensajes pendientes se guardan en una cola.",
  "La norma queda así: todo por `logx`.",
  "Le cache reste le même.",
  "Поведение осталось прежним.",
  "剩下的逻辑保持不变。",
  "まだ速いです。",
];

describe("a sentence leaves work open", () => {
  it.each(open)("%s", (text) => {
    expect(saysLeftOpen(text)).toBe(true);
  });
});

describe("a sentence leaves no work open", () => {
  it.each(settled)("%s", (text) => {
    expect(saysLeftOpen(text)).toBe(false);
  });
});
