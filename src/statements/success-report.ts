// Sentences that only report success: "Tests pass (2 of 2).", "Build succeeded", "All checks pass". Eight languages.

import { cueOf, removing } from "../text/cue-pattern.ts";
import { partsOf } from "./commands/runs.ts";

/** True when the sentence says that checks pass or work is done, and nothing else. */
export function saysOnlySuccess(text: string): boolean {
  if (text.length > longest || !success.test(text) || changed.test(text)) return false;
  const rest = text.replace(codeSpan, (span, code: string) => (isCheck(code) ? " " : span));
  const words = removing(reportWords, rest.replace(testFile, " "));
  return !/\p{L}/u.test(words.replace(measure, " "));
}

function isCheck(code: string): boolean {
  const parts = partsOf(code);
  return parts.length > 0 && parts.every(({ kind }) => kind === "test" || kind === "check");
}

const longest = 140;
// "Fixed the type tests" says what was changed.
const changed =
  /^\W*(?:(?:i|we)(?:'ve| have)? )?(?:fixed|implemented) (?!(?:and|it|that|this|everything|all|both)(?!\p{L}))(?:[\p{L}-]+ ){1,4}?[\p{L}-]+\W*$/iu;
const codeSpan = /`([^`]{1,100})`/g;
const testFile = /(?:[\w.-]+\/)*[\w.-]*(?:test|spec)[\w.-]*(?:\/[\w.-]*)*(?<=[./]\w*)/gi;
const measure = /\d[\d.,]*\s?(?:ms|s|sec|secs|m|min|%)?(?![\p{L}\d])|[✓✔✅🎉]/gu;

const successWords = `pass(?:es|ed|ing)?|succeed(?:s|ed)?|success\\w*|green|clean(?:ly)?|works?|working|fine|ok(?:ay)?|done|completed?|finished|implemented|
    fixed|committed|pushed|deployed|merged|(?:no|0|zero|without(?: any)?) (?:errors?|failed|failing|failures?|warnings?|problems?|issues?)|
    grün|bestanden|erfolgreich|sauber|funktionier\\w+|läuft|laufen|passt|passen|fertig|erledigt|(?:ohne|keine) fehler|
    pasan?|pasaron|verdes?|correctamente|funcionan?|listo|hecho|sin errores|con éxito|
    passent|passe|verts?|réussi\\w*|fonctionn\\w+|terminé\\w*|sans erreurs?|avec succès|
    passam|passa|passaram|passou|funcionando|pronto|feito|sem erros?|com sucesso|
    проходят|прошл\\w+|зел[её]н\\w+|успешно|работает|готово|сделано|без ошибок`;
const successRuns =
  "通过|成功|完成|没有错误|无错误|正常|通り|通っ|完了|問題(?:なし|ありません)|エラー(?:なし|はありません)";
const success = cueOf({ words: successWords, runs: successRuns });

const reportWords = cueOf({
  words: `${successWords}|
    all|both|the|a|an|of|in|on|for|and|with|now|again|still|also|is|are|was|were|has|have|been|it|this|that|everything|i|we|ran|run|runs|rerun|
    re-ran|after|verified|confirmed|checked|results?|skipped|status|exit|code|as|expected|up|through|ready|good|out|here|locally|too|same|whole|full|
    entire|existing|new|other|remaining|unit|integration|end-to-end|e2e|smoke|regression|tests?|testing|suites?|specs?|cases?|assertions?|checks?|
    builds?|compilation|compil\\w+|lint\\w*|types?|type-?check\\w*|type|checking|tsc|eslint|biome|prettier|format\\w*|ci|pipelines?|jobs?|workflows?|
    alle[sn]?|beide|die|das|der|und|ist|sind|jetzt|nun|wieder|weiterhin|auch|testlauf|prüfungen|typprüfung|durch|wie|erwartet|von|gut|
    tod[oa]s?|las|los|el|la|y|de|en|ya|ahora|pruebas|compilación|bien|
    tou[st]|toutes?|les|le|et|sont|est|maintenant|au|bien|
    tudo|os|as|o|e|em|testes?|compilação|agora|
    вс[её]|тест\\w*|проверки|сборка|линтер|теперь|и|из`,
  runs: `${successRuns}|所有|全部|都|测试|用例|构建|编译|检查|已|均|了|的|和|共|个|项|すべて|全て|の|は|が|も|テスト|ビルド|チェック|ています|しました|ました|ます|し`,
});
