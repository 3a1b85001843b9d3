// What a closing message says of a failed command that never passed.
import { cueOf } from "./cue-pattern.ts";

/**
 * True when the closing speaks of a failure. After an edit it has to say that it stays: the edit may well be the fix. A
 * turn without a closing was broken off, and the next one goes on with it.
 */
export function staysFailed(closing: string, wasEdited: boolean): boolean {
  return stillFails.test(closing) || (!wasEdited && fails.test(closing));
}

/** True when the closing says of a failure that it stays, or speaks of one without naming the program that replaced it. */
export function saysNotFixed(closing: string, replacement: string): boolean {
  if (stillFails.test(closing)) return true;
  return fails.test(closing) && !closing.toLowerCase().includes(replacement.toLowerCase());
}

const stillFails = cueOf({
  words: `still (?:fails?|failing|broken|red|crash\\w*|unclear|not)|could not|couldn't|can ?not|can't|unable to|not (?:fixed|solved|resolved|found out)|unclear|
    schlägt (?:weiter|noch|weiterhin)|weiterhin|konnte(?:n)? (?:es |ich )?nicht|unklar|nicht gelöst|
    sigue (?:fallando|sin)|no (?:pude|he podido|se pudo)|no está claro|
    échoue (?:encore|toujours)|je n'ai pas (?:pu|réussi)|impossible de|pas clair|
    continua (?:falhando|com)|não consegui|ainda (?:falha|não)|
    (?:всё|все) (?:ещё|еще) (?:падает|не)|не удалось|не получилось|непонятно|неясно`,
  runs: "仍然|还是失败|不清楚|未能|无法|没能|まだ(?:失敗|落ち)|できません|わかりません|不明",
});

const fails = cueOf({
  words: `fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|broken|timed out|times out|refuse[sd]?|rejected|does(?:n't| not) (?:work|start|build|compile|run)|
    fehl\\w*|scheiter\\w*|bricht|abgebrochen|fehlt|falla\\w*|falló|error|échou\\w*|plante|erreur|falh\\w*|erro|
    пада\\w+|ошибк\\w*|не проход\\w+`,
  runs: "失败|报错|错误|失敗|エラー|落ち",
});
