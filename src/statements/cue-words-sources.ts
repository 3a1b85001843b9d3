// Wording that announces text of somebody else: a log, a file, a page, a report. Eight languages together.

/** Announcements that end with a colon. `~` stands for the rest of a word. */
export const announcing = {
  words: `says?|said|reads|shows?|prints?(?: this)?|printed|reports?|reported|writes|wrote|contains?|returned|outputs?|gives|gave|(?:i|we) (?:get|got|see|saw|found|ran)|got|looks? like|complain~|told us|
    readme|changelog|~\\.md|~\\.txt|logs?|traceback|stack ?trace|diff|description|excerpt|snippet|article|blog|page|answer|thread|ticket|mail|email|findings|found|agent~|sub-?agent~|bot|summary|wiki|pdf|note|manual|commit(?: message)?|review|transcript|content|contents|result|from|below|
    sagt|meldet|schreibt|steht|enthält|gibt|lautet|ausgabe|protokoll|inhalt|meldung|datei|seite|bericht|ergebnis|antwort|fehler|
    dice|pone|contiene|sale|devuelve|muestra|salida|contenido|fichero|archivo|página|informe|resultado|respuesta|registro|error|
    dit|affiche|contient|renvoie|indique|rapporte|sortie|contenu|fichier|rapport|résultat|réponse|journal|erreur|voici|obtiens|
    diz|mostra|contém|retorna|aparece|saída|conteúdo|arquivo|relatório|resposta|erro|
    говорит|пишет|написано|выводит|содержит|вывод|файл|страниц~|отчёт~?|отчет~?|ответ|лог~?|журнал|ошибк~|вижу|вот`,
  runs: "日志|输出|内容|报告|文件|网页|页面|报错|错误|写着|显示|返回|如下|ログ|出力|内容|ファイル|ページ|報告|レポート|エラー|表示|次の通り|以下",
};

/** Announcements within a line: somebody said, wrote or has what follows. */
export const announcingInline = {
  words: `(?<!\\bi )(?:says?|said|reads|prints|printed|reported|reports|writes|wrote|comment(?:s|ed)|contains|returned|found|states|copied|pasted|quoted|replied|answered|suggests|titled|recommends)|has (?:a|an|this|the) (?:line|comment|rule|note|warning)|(?:text|content|title|wording) of|from the|(?:the|this|that|an?|of|in|'s) (?:\\p{L}+ ){0,2}(?:wiki|readme|ticket|pdf|comment|summary|report|review|note|thread|mail|email|manual)$|
    (?<!\\bich )(?:sagt|meldet|schreibt|steht|enthält|lautet|kommentiert|empfiehlt)|dice|pone|contiene|escribió|recomienda|dit|affiche|contient|écrit|recommande|diz|contém|escreveu|recomenda|говорит|пишет|написано|написал~|советует`,
  runs: "写着|写的是|显示|说(?!明)|建议|评论|工单|报告|总结|备注|注释|書いて|表示|言って|コメント|レビュー|チケット|報告|要約|メモ",
};

/** Announcements of what the user wants: the lines that follow are the user's own. */
export const ownList = {
  words: `(?:one )?more thing|another thing|one change|also new|noch (?:et)?was|noch eins|otra cosa|una cosa más|autre chose|encore une chose|outra coisa|mais uma coisa|(?:ещё|еще) (?:одно|кое-что)|rules?|conventions?|guidelines?|requirements?|plan|steps?|tasks?|to-?dos?|(?:i|we|you) (?:want|need|should|must)|changes?|preferences?|wishes|
    regeln?|anforderungen|schritte|aufgaben|wunsch|brauche~?|reglas|requisitos|pasos|tareas|quiero|necesito|
    règles|exigences|étapes|tâches|veux|voudrais|besoin|regras|passos|tarefas|quero|preciso|правила|требования|шаги|задачи|нужно|надо|хочу`,
  runs: "还有一件事|另外一点|もう一つ|もうひとつ|规则|要求|步骤|任务|需要|请|想要|ルール|要件|手順|タスク|してください|したい|欲しい",
};

/** Requests before a colon: what to do, or what to make of the text below. */
export const requesting = {
  own: `(?:please |bitte |por favor |пожалуйста,? )?(?:add|fix|update|implement|write|create|rename|remove|move|make|do|use|change|include|put|
    mach|schreib|füg|haz|añade|cambia|ajoute|fais|écris|adiciona|faz|muda|сделай|добавь|напиши|исправь)`,
  rework: {
    words: `translate|proof-?read|rewrite|rephrase|reword|summari[sz]e|shorten|paraphrase|(?:fix|check) the (?:spelling|grammar|wording)|improve the (?:text|wording)|squash|
      übersetz~|korrigier~|formulier~|kürz~|corrige~|traduce~?|reescrib~|resum~|traduis~|réécri~|traduz~?|corrij~|перевед~|перепиш~|проверь текст`,
    runs: "翻译|润色|改写|校对|翻訳|校正|要約",
  },
};

/** Names of texts that have an author elsewhere; before a colon in the same line they announce a quotation. */
export const sourceLabel = {
  words: `(?:log|readme|output|commit message|pr description|error message|docs?|documentation|page|ticket|answer|agent|sub-?agent|linter|compiler|comment) (?:says?|said|reads|states|shows|prints?|reports?|reported)|
    (?:the )?(?:log|readme|output|commit message|pr description|error message)|log sagt|ausgabe|fehlermeldung|salida|mensaje de error|sortie|message d'erreur|saída|mensagem de erro|в логе|вывод`,
  runs: "日志说|日志显示|输出|ログには|出力",
};
