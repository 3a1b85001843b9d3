// Finds text that the user announces as foreign: "the log says: ...", "here is the README:", "translate this:".
import { cueOf } from "../../text/cue-pattern.ts";
import { isPrinted, listItem } from "../../text/pasted-lines.ts";

/** Empties the texts of lines that follow an announcement, up to a paragraph that is clearly the user's again. */
export function dropAnnounced(lines: readonly string[], texts: string[]): void {
  let next = skip(lines, 0, "empty");
  // A prompt that opens with a heading and ends with a question contains a document.
  const document = heading.test(lines[next] ?? "") ? announcedEnd(lines, texts, next) : 0;
  if (skip(lines, document, "empty") < lines.length) texts.fill("", next, Math.max(next, document));
  for (let at = next; at < lines.length; at = next) {
    next = skip(lines, at + 1, "empty");
    if (!texts[at] || !texts[next] || !announces(lines[at] ?? "", lines[next] ?? "")) continue;
    const end = announcedEnd(lines, texts, next);
    texts.fill("", next, end);
    next = skip(lines, end, "empty");
  }
}

/** Replaces what the line announces with "…"; keeps a question at its end. */
export function elideAnnounced(line: string): string {
  // An IDE's picker describes the element that the user clicked on.
  const comment = /\s(?:\/\/|\/\*|<!--|DOM Path:)\s/.exec(line)?.index;
  if (comment !== undefined) return `${line.slice(0, comment)} …`;
  const mark = /[:：](?=\s)|\s(?:->|=>|→)\s/.exec(line.slice(0, 160));
  if (mark === null) return line;
  const end = mark.index + mark[0].length;
  const lead = line.slice(0, mark.index).trim().toLowerCase();
  const isAnnounced = isPrinted(line.slice(end).trim()) || (inline.test(lead) && !own.test(lead));
  if (!isAnnounced || line.slice(end).trim() === "") return line;
  const question = /(?<=[.!…。"”»]\s{1,3})[^.!?。？]{2,200}[?？]\s*$/u.exec(line.slice(-400))?.[0] ?? "";
  return `${line.slice(0, end)} … ${question}`.trim();
}

function announces(line: string, next: string): boolean {
  const text = line.trim().slice(-200).toLowerCase();
  if (heading.test(text)) return false;
  if (sourceLine.test(text)) return true;
  if (heading.test(next)) return announcement.test(text);
  // What comes before a comma, and the name of a file, announce nothing.
  const clause = (text.split(/[,;.!?，。；]\s/).at(-1) ?? "").replace(/\S*[/+]\S*/g, " ");
  const shown = /[:：]$/.test(text) && hereIs.test(text) ? text : clause;
  return (hereIs.test(shown) || /[:：]$/.test(text)) && announcement.test(shown) && !own.test(text);
}

// A pasted list ends with its last item; other text ends before a question or before a paragraph in lower case.
function announcedEnd(lines: readonly string[], texts: readonly string[], start: number): number {
  const first = lines[start] ?? "";
  let end = skip(lines, start, "filled");
  for (let at = skip(lines, end, "empty"); at < lines.length; at = skip(lines, end, "empty")) {
    end = skip(lines, at, "filled");
    const paragraph = lines.slice(at, end).join(" ");
    if (listItem.test(first) && !listItem.test(paragraph) && !/^\s{2}/.test(paragraph)) return at;
    if (texts[at] !== "" && isOwnParagraph(paragraph.trim(), first.trim())) return at;
  }
  return end;
}

function isOwnParagraph(paragraph: string, pasted: string): boolean {
  const text = paragraph.slice(-600);
  if (heading.test(text) || listItem.test(text)) return false;
  if (/[?？]$/.test(text)) return true;
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(text)) return [...text].length <= 12;
  return /^\p{Ll}/u.test(paragraph) && !/^\p{Ll}/u.test(pasted);
}

function skip(lines: readonly string[], from: number, what: "empty" | "filled"): number {
  let at = from;
  while (at < lines.length && ((lines[at] ?? "").trim() === "") === (what === "empty")) at++;
  return at;
}

const heading = /^\s{0,3}#{1,6}\s/;
const sourceLine = /^@?[\w./-]{1,120}\.[a-z]{1,5}:?$|^(?:from|aus|de|из) [^,]{1,60}[:：]$/;
const hereIs =
  /(?:^|\s)(?:here(?:'s| is| are)|got (?:this|these)|hier (?:ist|sind|kommt)|aquí (?:está|tienes)|voici|aqui está|вот)\s/;

// Verbs of persons and documents. `~` stands for the rest of a word.
const tells = `says?|said|reads|prints|printed|reports|reported|writes|wrote|contains|returned|comment(?:s|ed)|states|replied|answered|suggests|recommends|found|has (?:a|an|this|the) (?:line|comment|rule|note|warning)|
  sagt|meldet|schreibt|steht|enthält|lautet|kommentiert|empfiehlt|dice|pone|contiene|escribió|recomienda|dit|affiche|contient|écrit|recommande|diz|contém|escreveu|говорит|пишет|написано|написал~|советует`;
const tellsRuns = "写着|写的是|显示|说(?!明)|建议|書いて|表示|言って";

/** Announcements that end with a colon. */
const announcement = cueOf({
  words: `${tells}|print(?: this)?|report|contain|shows?|outputs?|gives|gave|(?:i|we) (?:get|got|see|saw|found|ran)|got|looks? like|complain~|told us|readme|changelog|~\\.md|~\\.txt|logs?|traceback|stack ?trace|diff|description|excerpt|snippet|article|blog|page|
    answer|thread|ticket|mail|email|findings|agent~|sub-?agent~|bot|summary|wiki|pdf|note|manual|commit(?: message)?|review|transcript|contents?|result|text|below|gibt|ausgabe|protokoll|inhalt|meldung|datei|seite|bericht|
    ergebnis|antwort|fehler|sale|devuelve|muestra|salida|contenido|fichero|archivo|página|informe|resultado|respuesta|registro|error|renvoie|indique|rapporte|sortie|contenu|fichier|rapport|résultat|réponse|journal|erreur|
    voici|obtiens|mostra|retorna|aparece|saída|conteúdo|arquivo|relatório|resposta|erro|выводит|содержит|вывод|файл|страниц~|отчёт~?|отчет~?|ответ|лог~?|текст|журнал|ошибк~|вижу|вот|
    translate|proof-?read|rewrite|rephrase|reword|summari[sz]e|shorten|paraphrase|(?:fix|check) the (?:spelling|grammar|wording)|improve the (?:text|wording)|squash|übersetz~|korrigier~|formulier~|kürz~|corrige~|
    traduce~?|reescrib~|resum~|traduis~|réécri~|traduz~?|corrij~|перевед~|перепиш~|проверь`,
  runs: `${tellsRuns}|日志|输出|内容|报告|文件|网页|页面|报错|错误|返回|如下|ログ|出力|ファイル|ページ|報告|レポート|エラー|次の通り|以下|翻译|润色|改写|校对|翻訳|校正|要約`,
});

/** Announcements within a line: a person or document says what follows, or it is named alone. */
const inline = cueOf({
  words: `(?<!\\bi |\\bich )(?:${tells})|(?:text|content|title|wording) of|from the|(?:the|this|that|an?|of|in|'s) (?:\\p{L}+ ){0,2}(?:wiki|readme|ticket|pdf|comment|summary|report|review|note|thread|mail|email|manual)$|
    ^(?:(?:the )?(?:log|readme|output|commit message|pr description|error message)|ausgabe|fehlermeldung|salida|mensaje de error|sortie|message d'erreur|saída|mensagem de erro|в логе|вывод)$`,
  runs: `${tellsRuns}|评论|工单|报告|总结|备注|注释|コメント|レビュー|チケット|報告|要約|メモ|^(?:日志|输出|出力)$`,
});

/** Announcements and requests of what the user wants: the lines that follow are the user's own. */
const own = cueOf({
  words: `(?:one )?more thing|another thing|one change|also new|noch (?:et)?was|noch eins|otra cosa|una cosa más|autre chose|encore une chose|outra coisa|mais uma coisa|(?:ещё|еще) (?:одно|кое-что)|rules?|conventions?|guidelines?|
    requirements?|plan|steps?|tasks?|to-?dos?|(?:i|we|you) (?:want|need|should|must)|changes?|preferences?|wishes|regeln?|anforderungen|schritte|aufgaben|wunsch|brauche~?|reglas|requisitos|pasos|tareas|quiero|necesito|règles|
    exigences|étapes|tâches|veux|voudrais|besoin|regras|passos|tarefas|quero|preciso|правила|требования|шаги|задачи|нужно|надо|хочу|^(?:please |bitte |por favor |пожалуйста,? )?(?:add|fix(?! the (?:spelling|grammar|wording))|update|implement|write|create|
    rename|remove|move|make|do|use|change|include|put|mach|schreib|füg|haz|añade|cambia|ajoute|fais|écris|adiciona|faz|muda|сделай|добавь|напиши|исправь)`,
  runs: "还有一件事|另外一点|もう一つ|もうひとつ|规则|要求|步骤|任务|需要|请|想要|ルール|要件|手順|タスク|してください|したい|欲しい",
});
