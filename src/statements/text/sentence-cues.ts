// Classes of wording in closing messages and prompts, in eight languages.
import { remembering } from "../../core/recent-map.ts";
import { cueOf } from "../../text/cue-pattern.ts";

const closingCues = {
  /** Says why something happened or is so. */
  cause: cueOf({
    words: `because|cause[sd]?|root cause|reasons?|culprit|due to|why|so that|therefore|hence|since|
      weil|ursache|grund|gründe|liegt (?:an|daran)|lag (?:an|daran)|deshalb|daher|wegen|
      causa|causas|porque|debido a|por eso|motivo|culpa|culpable|
      cause|parce que|car|raison|à cause|donc|vient de|
      por isso|devido|pois|
      причина|причине|потому что|из-за|поэтому|так как`,
    runs: "原因|因为|由于|所以|导致|因此|ため|ので|せいで|からです",
  }),
  /** Names what was chosen, proposed, rejected, or kept. */
  decision: cueOf({
    words: `decision|decided?|chose|chosen|choice|prefer\\w*|recommend\\w*|recommendation|propos\\w+|settled|ruled out|
      reject\\w*|off the table|instead of|rather than|would (?:take|use|go|keep|not|be)|i'd (?:take|go|keep)|go for|
      not worth|we take|stays?|remains?|trade-?off|drawback|against it|speaks against|lose|give up|cost:|wins?|out because|
      entscheidung|entschieden|vorschlag|empfehle|gewählt|bleibt (?:es )?bei|vom tisch|nachteil|genügt|stattdessen|
      decisión|decidido|propongo|recomiendo|elegid[oa]|descartad[oa]s?|en lugar de|desventaja|
      choix|décision|retenu|écarté\\w*|recommande|propose|penche|plutôt|inconvénient|
      decisão|escolhid[oa]|recomendo|descartad[oa]|em vez de|desvantagem|
      решение|решили|выбран\\w*|предлагаю|рекомендую|отказал\\w+|вместо|недостаток`,
    runs: "决定|建议|选择|放弃|不采用|而不是|缺点|採用|決定|勧めます|推奨|却下|代わりに|見送",
  }),
  /** What is not done, stopped, or waits. */
  open: cueOf({
    words: `left|remaining|remains|what remains|still|not (?:yet|done|started|committed|pushed|run|written|touched|converted|merged)|
      yet to|to-?do|unfinished|half(?:way)? done|untouched|stopped|paused|pending|waits? for|waiting|blocked|next step|next:|
      open|not in the code|is next|have not|has not|did not touch|needs? (?:a decision|to be)|has to be|have to be|tomorrow|
      before (?:it|this|that) can|proper fix|
      offen|fehlt|fehlen|noch nicht|noch (?:zu|keine?)|übrig|bleibt noch|ausstehend|wartet|angehalten|als nächstes|steht noch|unberührt|
      pendiente|falta|faltan|queda|quedan|todavía|aún no|sin (?:hacer|empezar|terminar)|se reanuda|parado|siguiente|
      reste|restent|pas encore|à faire|en attente|manque|arrêté|prochaine étape|
      falta|faltam|ainda não|pendente|parado|próximo passo|por fazer|
      осталось|остались|остаётся|ещё не|еще не|не начат\\w*|не сделан\\w*|не трогал|ждёт|ждет|открыт\\w*|дальше|следующ\\w+`,
    runs: "还没|还没有|尚未|未完成|剩下|剩余|没有改|没改|待|下一步|まだ|未着手|未対応|残り|残って|未定|次は|待ち",
  }),
  /** A new state replaces an old one, or applies from now on. */
  change: cueOf({
    words: `no longer|not any ?more|any more|anymore|from (?:now|here) on|instead of|replac\\w+|is gone|are gone|dropped|
      moved to|switched|now use[sd]?|from now|next one|new ones|as before|obsolete|deprecated|used to|
      nicht mehr|ab jetzt|ab sofort|künftig|statt|ersetzt|abgelöst|umgestellt|
      ya no|a partir de ahora|desde ahora|en vez de|sustituy\\w+|reemplaz\\w+|
      ne [^.]{1,40} plus|n'existe plus|désormais|dorénavant|au lieu d|remplac\\w+|à partir de maintenant|
      não [^.]{1,30} mais|a partir de agora|de agora em diante|no lugar de|substitu\\w+|
      больше не|теперь|отныне|впредь|вместо|заменен\\w*|перешли`,
    runs: "不再|从现在|以后|改为|改成|替换|なくなり|今後|これから|廃止|変更|移し|移す|読まなく",
  }),
  /** A general statement or requirement. */
  general: cueOf({
    words: `every|each|all|any|always|never|must|required|only|whenever|whatever|everything|nothing|everywhere|applies|cannot|
      can't|should|jede[rsmn]?|alle[sn]?|immer|nie|niemals|nur|muss|müssen|überall|
      cada|tod[oa]s?|siempre|nunca|sólo|solo|debe\\w*|hay que|
      chaque|tou(?:s|te|tes)|toujours|jamais|seulement|doit|doivent|partout|
      sempre|somente|apenas|deve\\w*|
      кажд\\w+|все|всегда|никогда|только|должн\\w+|нельзя|везде`,
    runs: "所有|每个|每次|总是|必须|只能|只有|都|全て|すべて|常に|必ず|のみ|だけ",
  }),
  /** Negation and contrast carry the surprise of a finding. */
  contrast: cueOf({
    words: `not|no|never|but|however|although|while|without|although|yet|though|wrong|fails?|failed|missing|broken|too (?:early|late|small|large|many)|
      nicht|kein\\w*|aber|ohne|obwohl|falsch|fehlt|
      no|pero|sin|aunque|nunca|falla\\w*|
      pas|mais|sans|aucun\\w*|jamais|échou\\w+|
      não|mas|sem|embora|falha\\w*|
      не|но|без|нет|хотя`,
    runs: "不是|没有|但|却|无法|失败|ではなく|ない|が、|しかし|失敗",
  }),
  /** Offers, questions and remarks to the user. */
  offer: cueOf({
    words: `let me know|tell me|if you (?:want|like|prefer|would)|would you like|shall i|should i|do you want|i can|i could|happy to|
      say the word|your call|
      sag bescheid|soll ich|wenn du (?:willst|magst|möchtest)|kann ich|
      avísame|dime si|quieres que|si quieres|puedo|
      dis-moi|dites-moi|si tu veux|si vous voulez|voulez-vous|je peux|
      me avise|se quiser|quer que|posso|
      скажи\\w*|если хотите|если хочешь|могу`,
    runs: "需要我|要不要|如果你|告诉我|しましょうか|ますか|教えて",
  }),
  /** Not known, or only thought of. */
  guess: cueOf({
    words: `probably|perhaps|maybe|likely|possibly|i (?:think|guess|suspect)|my guess|guess|presumably|apparently|
      wahrscheinlich|vermutlich|vielleicht|probablemente|quizás?|tal vez|puede ser|probablement|peut-être|
      provavelmente|talvez|вероятно|возможно|наверное|скорее всего|кажется|похоже`,
    runs: "可能|也许|大概|应该是|多半|たぶん|おそらく|かもしれ|と思います",
  }),
  /** Supposed, or still to be looked at. */
  supposed: cueOf({
    words:
      "should|would|could|might|seems?|let me|dürfte|könnte|scheint|parece|podría|semble|pourrait|poderia",
    runs: "本来应该|はずです",
  }),
} as const;

export type ClosingCue = keyof typeof closingCues;

/** True when the text ends with a question mark. */
export function isQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text);
}

/** True when a sentence says that something changed. */
export function saysChanged(text: string): boolean {
  return closingCues.change.test(text);
}

export function closingCuesOf(text: string): Set<ClosingCue> {
  return classesOf(text, closingCues);
}

const lasting = {
  words: `from (?:now|here) on|in (?:the )?future|for (?:the )?future|going forward|every ?time|each time|(?:with|after|before|on|for) (?:each|every)|whenever|next time|
    as a rule|habit|at all times|ab (?:jetzt|sofort|heute)|künftig|in zukunft|jedes mal|grundsätzlich|(?:mit|bei|vor|nach) jede[rms]|
    a partir de (?:ahora|agora)|desde ahora|en adelante|(?:con|a|en|em|com) cada|cada vez|de agora em diante|daqui (?:pra frente|em diante)|toda vez|
    désormais|dorénavant|à partir de maintenant|à l'avenir|à chaque(?: fois)?|chaque fois|dès que|
    впредь|отныне|с этого момента|каждый раз|(?:при|с|перед|после) кажд~`,
  runs: "从现在|以后|今后|每次|今後|これから|毎回",
};

const promptCues = {
  /** Forbids. */
  never: cueOf({
    words: `never(?! mind)|don'?t|do not|no(?! problem| idea| no)|not|nobody|no one|none|without|nothing|stop|avoid|forbidden|must not|cannot|can't|
      nie|niemals|nicht|kein\\w*|niemand|ohne|verboten|
      nunca|jamás|nadie|sin|prohibido|ning[uú]n\\w*|nada de|
      jamais|ne [^.]{1,20} pas|pas de|personne|sans|aucun\\w*|interdit|
      não|nunca|ninguém|sem|proibido|nenhum\\w*|
      никогда|нельзя|не|никто|без|запрещ\\w+`,
    runs: "不要|别|不能|不得|禁止|从不|不许|绝不|しない|ないで|禁止|いけません|だめ|ません|なしで",
  }),
  /** Says that a wish lasts. */
  lasting: cueOf({
    words: `always|never(?! mind)|ever|${lasting.words}|by default|in general|generally|everywhere|conventions?|rules?|
      immer|nie|niemals|überall|siempre|nunca|toujours(?! pas)|jamais|partout|sempre|всегда|никогда|везде`,
    runs: `${lasting.runs}|总是|永远|一律|绝不|从不|都(?:要|得|希望)|必ず|常に|いつも|絶対`,
  }),
  /** Says since when, or how often, a wish holds. */
  duration: cueOf(lasting),
  /** Asks to be remembered. */
  important: cueOf({
    words: `important|remember|keep in mind|(?:be )?careful|mind that|don'?t forget|please note|make sure|
      wichtig|denk dran|merk dir|achte auf|importante|recuerda|ojo|acuérdate|rappel|n'oublie|garde en tête|attention|
      lembr~|atenção|важно|помни~|запомни~|не забывай`,
    runs: "重要|记住|注意|切记|覚えて|忘れない|気をつけて",
  }),
  /** Opens with a prohibition. */
  ban: cueOf(
    {
      words: `(?:don'?t|do not|never(?! mind)|no(?! problem| idea|,|\\.| wait)|nothing|not|nobody|stop|avoid|without|keep (?:out|away|off)|
        stay|hands off|kein~|nie|niemals|nicht|nunca|nada|ne|n'~|arrête~|jamais|pas de|plus de|não|sem|не|никогда|нельзя|никаких)`,
      runs: "不要|别|不能|不许|禁止",
    },
    "^[^a-zа-яё\\u4e00-\\u9fff]*(?:(?:and|but|please|pls|so|also|y|por favor|bitte|e|et|и|пожалуйста|请)[ ,]+)*",
  ),
  /** Names what an agent does or writes: commits, tests, answers, files. */
  work: cueOf({
    words: `commit~|push~|merg~|branch~|prs?|pull requests?|changelog|tests?|code|comments?|folders?|plans?|answers?|repl(?:y|ies)|
      summar~|headings?|emojis?|bullets?|depend~|packages?|modules?|librar~|lint~|format~|migrations?|servers?|tools?|agents?|docs?|
      steps?|diffs?|datei~|ordner|antwort~|kommentar~|abhängigkeit~|archivos?|carpeta~|respuestas?|respond~|comentarios?|migraci~|
      aplicaci[oó]n|depende~|fichiers?|dossiers?|répon~|commentaire~|étapes?|dépend~|arquivos?|pastas?|respost~|comentário~|
      файл~|ветк~|коммит~|тест~|ответ~|отвеча~|комментар~|папк~|зависимост~`,
    runs: "提交|分支|测试|文件|注释|回答|步骤|依赖|コミット|ブランチ|テスト|ファイル|コメント|回答|返答|依存",
  }),
  /** Speaks to the agent. */
  address: cueOf({
    words: "you|your|du|dir|dich|dein~|tu|te|ti|toi|t'~|vous|votre|você|ты|тебя|тебе|вы|te lo|me lo",
    runs: "你|您|あなた",
  }),
  /** Opens with who or what is spoken of, as a report does. */
  subject: cueOf({ words: "i|we|it|the|this|that|there|it's|i'm|we're" }, "^[^a-z]*(?:(?:and|but|so) )*"),
  /** Says how things are done or must be. */
  norm: cueOf({
    words: `we (?:use|do|don't|ship|keep|have|never|always|put|write|call|name|only|got)|our|us|here|by convention|must|should|has to|have to|needs? to|
      supposed to|belongs?|lives? in|goes in|expects?|please|pls|want|prefer|like|rather|instead|remember|note|mind|because|since|otherwise|
      wir|unser\\w*|bei uns|hier|muss|müssen|soll\\w*|bitte|lieber|statt|gehör\\w+|denk dran|sonst|weil|heißen|
      nosotros|nuestr[oa]s?|aquí|usamos|debe\\w*|hay que|tiene que|por favor|prefiero|mejor|recuerda|porque|si no|
      nous|notre|nos|chez nous|ici|doit|doivent|il faut|merci de|s'il|svp|préfère|plutôt|rappel|sinon|
      nós|noss[oa]s?|aqui|usamos|deve\\w*|tem que|precisa|por favor|prefiro|melhor|lembr\\w+|senão|por causa|
      мы|наш\\w*|у нас|здесь|должн\\w+|надо|нужно|пожалуйста|лучше|вместо|помни|иначе|потому что`,
    runs: "我们|这里|应该|要用|请|最好|记住|因为|否则|用|我们的|私たち|うちの|うちでは|ここでは|べき|してください|ください|ように|方が|でお願い",
  }),
  /** Orders one piece of work. */
  order: cueOf({
    words: `^(?:ok(?:ay)?,? |now |and |then |please |pls |can you |could you |let'?s )*(?:add|implement|write|create|fix|put|build|make|
      change|update|remove|delete|rename|run|deploy|investigate|look|check|take|finish|test|give|turn|move|extend|refactor|show|tell|
      find|explain|commit|push|merge|open|start|try|do|go|continue|
      mach\\w*|füge?|ändere|lösche|zeig\\w*|prüfe?|schreib\\w*|baue?|erstelle|entferne|starte|
      agrega\\w*|añade|haz|cambia\\w*|borra|quita|revisa|muestra|corrige|arregla|ajoute\\w*|fais|mets|change\\w*|supprime|montre|
      regarde|vérifie|adicion[ae]|faz|faça|mud[ae]|remov[ae]|corrija|mostra|veja|
      сделай|добавь|исправь|убери|поменяй|посмотри|покажи|удали|напиши)`,
    runs: "^(?:请|帮我|把|给我|加|改|删|看|做|写|修正|追加|直し|確認|作っ)",
  }),
  /** Limits a wish to this one time. */
  oneOff: cueOf({
    words: `for now|this time|just (?:this )?once|this one|for this (?:answer|reply|question|task|one)|in this answer|today|for the moment|temporarily|until (?:monday|tuesday|wednesday|thursday|friday|tomorrow|next)|
      in a hurry|quick(?:ly)?|
      erstmal|vorerst|diesmal|für diese (?:antwort|frage|aufgabe)|ausnahmsweise|heute|fürs erste|im moment|
      por ahora|esta vez|para esta (?:respuesta|pregunta|tarea)|de momento|hoy|por esta|
      pour l'instant|cette fois|pour cette (?:réponse|question|tâche)|aujourd'hui|pour le moment|
      por enquanto|desta vez|hoje|só dessa vez|
      пока|на этот раз|сегодня|временно|сейчас`,
    runs: "暂时|这次|先不|今天|目前|とりあえず|今回|今日は|一旦|ひとまず",
  }),
  /** Agrees to a proposal. */
  agreement: cueOf({
    words: `^(?:yes|yep|ok(?:ay)?|agreed|fine|good|go|sure|sold|settled|makes sense|sounds good|do it|approved|ja|gut|passt|einverstanden|sí|vale|venga|de acuerdo|oui|d'accord|sim|fechado|да|хорошо|согласен)`,
    runs: "^(?:好的|好|可以|同意|はい|お願いします|了解)",
  }),
} as const;

export type PromptCue = keyof typeof promptCues;

// A sentence is asked several times: its worth, whether it is a rule, and of which kind.
export const promptCuesOf = remembering<ReadonlySet<PromptCue>>((text) => classesOf(text, promptCues), 200);

function classesOf<C extends string>(text: string, cues: Readonly<Record<C, RegExp>>): Set<C> {
  return new Set((Object.keys(cues) as C[]).filter((name) => cues[name].test(text)));
}
