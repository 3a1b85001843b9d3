// Finds text that the user announces as foreign: "the log says: ...", "here is the README:", "translate this:".
import { cueOf } from "./cue-pattern.ts";

/** Marks lines that follow an announcement as foreign, up to a paragraph that is clearly the user's again. */
export function dropAnnounced(lines: readonly string[], isOwn: boolean[]): void {
  const start = nextFilled(lines, 0);
  if (isOwn[start] && heading.test(lines[start] ?? "")) dropDocument(lines, isOwn, start);
  for (let at = 0; at < lines.length; at++) {
    if (!isOwn[at] || (lines[at] ?? "").trim() === "") continue;
    const next = nextFilled(lines, at + 1);
    if (next >= lines.length || !isOwn[next]) continue;
    if (!announces(lines[at] ?? "", lines[next] ?? "")) continue;
    const end = announcedEnd(lines, isOwn, next);
    isOwn.fill(false, next, end);
    at = end - 1;
  }
}

/** Replaces what the line announces with "…"; keeps a question at its end. */
export function elideAnnounced(line: string): string {
  const comment = /\s(?:\/\/|\/\*|<!--)\s/.exec(line)?.index;
  if (comment !== undefined) return `${line.slice(0, comment)} …`;
  const mark = /[:：](?=\s)|\s(?:->|=>|→)\s/.exec(line.slice(0, mostLead));
  if (mark === null) return line;
  const end = mark.index + mark[0].length;
  const lead = line.slice(0, mark.index).trim().toLowerCase();
  const isAnnounced = label.test(lead) || (inline.test(lead) && !ownAnnouncement.test(lead));
  if (!isAnnounced || line.slice(end).trim() === "") return line;
  const question = /(?<=[.!…。"”»]\s{1,3})[^.!?。？]{2,200}[?？]\s*$/u.exec(line.slice(-400))?.[0] ?? "";
  return `${line.slice(0, end)} … ${question}`.trim();
}

// A prompt that opens with a heading and ends with a question contains a document.
function dropDocument(lines: readonly string[], isOwn: boolean[], start: number): void {
  const end = announcedEnd(lines, isOwn, start);
  if (nextFilled(lines, end) < lines.length) isOwn.fill(false, start, end);
}

function announces(line: string, next: string): boolean {
  const text = line.trim().slice(-200).toLowerCase();
  if (heading.test(text)) return false;
  if (pathLine.test(text)) return true;
  if (/[:：]$/.test(text) && reworking.test(text)) return true;
  if (heading.test(next)) return announcement.test(text);
  if (!/[:：]$/.test(text) || request.test(text)) return false;
  return announcement.test(text) && !ownAnnouncement.test(text);
}

// A pasted list ends with its last item; other text ends before a question or before a paragraph in lower case.
function announcedEnd(lines: readonly string[], isOwn: readonly boolean[], start: number): number {
  const isList = listItem.test(lines[start] ?? "");
  let at = start;
  while (at < lines.length) {
    const end = paragraphEnd(lines, at);
    const following = nextFilled(lines, end);
    if (following >= lines.length) return end;
    const paragraph = lines.slice(following, paragraphEnd(lines, following)).join(" ");
    if (isList && !listItem.test(paragraph) && !indented.test(paragraph)) return following;
    if (isOwn[following] && isOwnParagraph(paragraph, lines[start] ?? "")) return following;
    at = following;
  }
  return at;
}

function isOwnParagraph(paragraph: string, pasted: string): boolean {
  const text = paragraph.trim().slice(-600);
  if (heading.test(text) || listItem.test(text)) return false;
  if (/[?？]$/.test(text)) return true;
  if (unspaced.test(text)) return [...text].length <= 12;
  return /^\p{Ll}/u.test(paragraph.trim()) && !/^\p{Ll}/u.test(pasted.trim());
}

function nextFilled(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? "").trim() === "") at++;
  return at;
}

function paragraphEnd(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? "").trim() !== "") at++;
  return at;
}

const mostLead = 160;
const listItem = /^\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s+\S/;
const indented = /^\s{2,}\S/;
const heading = /^\s{0,3}#{1,6}\s/;
const pathLine = /^@?[\w./-]{1,120}\.[a-z]{1,5}:?$/;
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff]/;

/** Announcements that end with a colon. `~` stands for the rest of a word. */
const announcement = cueOf({
  words: `says?|said|reads|shows?|prints?(?: this)?|printed|reports?|reported|writes|wrote|contains?|returned|outputs?|gives|gave|(?:i|we) (?:get|got|see|saw|found|ran)|got|looks? like|complain~|told us|
    readme|changelog|~\\.md|~\\.txt|logs?|traceback|stack ?trace|diff|description|excerpt|snippet|article|blog|page|answer|thread|ticket|mail|email|findings|found|agent~|sub-?agent~|bot|summary|wiki|pdf|note|manual|commit(?: message)?|review|transcript|content|contents|result|from|below|
    sagt|meldet|schreibt|steht|enthält|gibt|lautet|ausgabe|protokoll|inhalt|meldung|datei|seite|bericht|ergebnis|antwort|fehler|
    dice|pone|contiene|sale|devuelve|muestra|salida|contenido|fichero|archivo|página|informe|resultado|respuesta|registro|error|
    dit|affiche|contient|renvoie|indique|rapporte|sortie|contenu|fichier|rapport|résultat|réponse|journal|erreur|voici|obtiens|
    diz|mostra|contém|retorna|aparece|saída|conteúdo|arquivo|relatório|resposta|erro|
    говорит|пишет|написано|выводит|содержит|вывод|файл|страниц~|отчёт~?|отчет~?|ответ|лог~?|журнал|ошибк~|вижу|вот`,
  runs: "日志|输出|内容|报告|文件|网页|页面|报错|错误|写着|显示|返回|如下|ログ|出力|内容|ファイル|ページ|報告|レポート|エラー|表示|次の通り|以下",
});

/** Announcements within a line: a person or document says what follows. */
const inline = cueOf({
  words: `(?<!\\bi )(?:says?|said|reads|prints|printed|reported|reports|writes|wrote|comment(?:s|ed)|contains|returned|found|states|copied|pasted|quoted|replied|answered|suggests|titled|recommends)|has (?:a|an|this|the) (?:line|comment|rule|note|warning)|(?:text|content|title|wording) of|from the|(?:the|this|that|an?|of|in|'s) (?:\\p{L}+ ){0,2}(?:wiki|readme|ticket|pdf|comment|summary|report|review|note|thread|mail|email|manual)$|
    (?<!\\bich )(?:sagt|meldet|schreibt|steht|enthält|lautet|kommentiert|empfiehlt)|dice|pone|contiene|escribió|recomienda|dit|affiche|contient|écrit|recommande|diz|contém|escreveu|recomenda|говорит|пишет|написано|написал~|советует`,
  runs: "写着|写的是|显示|说(?!明)|建议|评论|工单|报告|总结|备注|注释|書いて|表示|言って|コメント|レビュー|チケット|報告|要約|メモ",
});

/** Announcements of what the user wants: the lines that follow are the user's own. */
const ownAnnouncement = cueOf({
  words: `(?:one )?more thing|another thing|one change|also new|noch (?:et)?was|noch eins|otra cosa|una cosa más|autre chose|encore une chose|outra coisa|mais uma coisa|(?:ещё|еще) (?:одно|кое-что)|rules?|conventions?|guidelines?|requirements?|plan|steps?|tasks?|to-?dos?|(?:i|we|you) (?:want|need|should|must)|changes?|preferences?|wishes|
    regeln?|anforderungen|schritte|aufgaben|wunsch|brauche~?|reglas|requisitos|pasos|tareas|quiero|necesito|
    règles|exigences|étapes|tâches|veux|voudrais|besoin|regras|passos|tarefas|quero|preciso|правила|требования|шаги|задачи|нужно|надо|хочу`,
  runs: "还有一件事|另外一点|もう一つ|もうひとつ|规则|要求|步骤|任务|需要|请|想要|ルール|要件|手順|タスク|してください|したい|欲しい",
});

// A request before a colon: what to do.
const request = cueOf(
  {
    words: `(?:please |bitte |por favor |пожалуйста,? )?(?:add|fix|update|implement|write|create|rename|remove|move|make|do|use|change|include|put|
    mach|schreib|füg|haz|añade|cambia|ajoute|fais|écris|adiciona|faz|muda|сделай|добавь|напиши|исправь)`,
  },
  "^",
);

// What to make of the text below.
const reworking = cueOf({
  words: `translate|proof-?read|rewrite|rephrase|reword|summari[sz]e|shorten|paraphrase|(?:fix|check) the (?:spelling|grammar|wording)|improve the (?:text|wording)|squash|
      übersetz~|korrigier~|formulier~|kürz~|corrige~|traduce~?|reescrib~|resum~|traduis~|réécri~|traduz~?|corrij~|перевед~|перепиш~|проверь текст`,
  runs: "翻译|润色|改写|校对|翻訳|校正|要約",
});

/** Names of foreign texts; before a colon they announce a quotation. */
const sourceLabel = cueOf({
  words: `(?:log|readme|output|commit message|pr description|error message|docs?|documentation|page|ticket|answer|agent|sub-?agent|linter|compiler|comment) (?:says?|said|reads|states|shows|prints?|reports?|reported)|
    (?:the )?(?:log|readme|output|commit message|pr description|error message)|log sagt|ausgabe|fehlermeldung|salida|mensaje de error|sortie|message d'erreur|saída|mensagem de erro|в логе|вывод`,
  runs: "日志说|日志显示|输出|ログには|出力",
});
const label = new RegExp(`^(?:${sourceLabel.source})$`, "i");
