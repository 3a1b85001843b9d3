import { describe, expect, it } from "vitest";
import { isPlainRequest } from "../../src/statements/plain-request.ts";

describe("a sentence only asks for work of its turn", () => {
  it.each([
    "but pls commit your fix.",
    "please fix that too",
    "take that out again, leave the test alone.",
    "can you look at the log again?",
    "and now add the test",
    "Bitte erst die Ursache.",
    "Kannst du das bitte noch committen?",
    "Por favor, arregla también el otro.",
    "Corrige aussi l'autre, s'il te plaît.",
    "Исправь, пожалуйста, и второй.",
    "请把这个也修一下",
    "これも直してください",
    "from the runner:",
  ])("%s", (text) => {
    expect(isPlainRequest(text)).toBe(true);
  });
});

describe("a sentence has content that outlasts its turn", () => {
  it.each([
    "please keep the old importer, because two customers still use it",
    "please fix that too: only real dates count",
    "the embedder relies on the zero too",
    "it should have slept a minute.",
    "please use the cache of the gateway only for reads",
    "add the flag `--dry` to the importer",
    "please raise the limit to 40 MB",
    "Bitte die alte Liste behalten, sonst fehlt sie dem Support.",
    "we ship from the release branch",
    "the answer is read by people on phones",
    "Los clientes leen el informe en papel.",
    "клиент читает отчёт на бумаге",
  ])("%s", (text) => {
    expect(isPlainRequest(text)).toBe(false);
  });
});
