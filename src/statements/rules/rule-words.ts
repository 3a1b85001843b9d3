// Wording of sentences that resemble rules and are none: a list of each class for eight languages.

/** Lists for `cueOf`. "Opens" means matched at the start of a clause, after filler words. */
export interface RuleWords {
  common: string; // function words: they tell the language
  filler: string; // what may stand before the first word that counts
  question: string; // opens a question without a question mark
  once: string; // limits a wish to this task or to a time
  reported: string; // gives the words of somebody else
  doubt: string; // an opinion, a guess or a case that is only imagined
  product: string; // opens a sentence about the product: its users, its screens, what it handles
}

export const english: RuleWords = {
  common: `the|a|an|is|are|was|of|to|and|in|it|that|this|we|you|i|our|my|please|not|don't|for|with|from|on|at|be|when|if|or|as|all|every|never|always|by|new|only|here|they|your|no`,
  filler: `please|pls|plz|and|so|also|but|ok|okay|well|hm+|oh|ah|btw|by the way|note|fyi|again|one (?:more )?thing|for the record|then|just|as always|as usual|because|since|ps|pps|oh|also new|new rule|new|remember|yes|no|nope|nah|stop|wait|heads up|(?:it is|it's) important that|make sure(?: that)?|ensure(?: that)?|like i said|as i said|as said`,
  question: `what(?!ever)|why|how(?!ever)|where(?!ver)|which|who(?!ever)|whose|is|isn't|are|aren't|am i|does|doesn't|do (?:you|we|they|i)|did|didn't|was|were|should (?:we|i|it|the)|shouldn't|any idea|has anyone|have (?:you|we)|would it|will`,
  once: `for now|right now|for the (?:moment|time being|rest|next|duration)|at the moment|this time|just (?:this )?once|this once|for once|once only|for this(?! (?:project|repo|repository|codebase|team|package|module|service|app))|
    in this (?:run|session|branch|pr|commit|file|task|case|round|step|test|conversation|change)|this (?:pr|run|session|branch|task|commit|ticket) only|only for th(?:is|e)(?! (?:project|repo))|just for|for the demo|today|tonight|tomorrow|this (?:week|morning|afternoon|evening|sprint|month|quarter|friday)|
    temporar(?:y|ily)|till|until (?:mon|tues|wednes|thurs|fri|satur|sun)day|until (?:i|we|then|further|next|tomorrow|noon|later|v?\\d|ana|qa|the (?:new|release|fix|migration|demo|end|weekend))|
    yet|stop (?:t?here|now|after (?:that|this|it)|wherever|when you|once you)|exceptional~|as an exception|meanwhile|in the meantime|while (?:the|i|we|it)|hold off|before (?:you|we) (?:start|begin|continue)|on my phone`,
  reported: `(?<!(?:\\bi|\\bwe|\\byou|\\bwho|\\bas|\\bgeneral) )(?:says|said|wrote|tells|claims?|claimed|mentions|suggests?|suggested|reported|recommends?|recommended|insists?)|told (?:us|me)|(?:docs|they|people|some|guidelines|articles|logs|others) say|(?<!\\b(?:unless|when|if|until) )asked|according to|i(?:'ve)? (?:read|heard)(?! \\p{L}+ (?:on|from) (?:the|a|my)(?: small)? (?:phone|mobile|tablet|train|screen|go))|came back with|stated?s that|there(?:'s| is) (?:a|an) (?:todo|comment|note|rule|warning)|
    the (?:comment|error|message|warning|text|ticket|banner|log|linter|compiler) [^.]{0,30}:|my boss|job ad|do you make of|reads:|prints`,
  doubt: `maybe|i mean[t]?|i (?:always|keep|never|often) (?:forget|forgetting|mix|confuse|understood)|perhaps|suppose|imagine|what if|if we|i wonder|not (?:sure|convinced)|one option|(?:two|three|2|3|several|some|both|these|which|few) (?:ways|options|possibilities|alternatives|choices|ideas|approaches)|the (?:other|first|second|third|alternative) (?:approach|option|way(?! a?round)|idea|possibility|alternative)|is the (?:first|second|third|other)(?: (?:one|option|way))?(?=[^\\p{L}]*$)|either way|in an ideal|would (?:it|be|that)|i think|(?:should|could|might|must) have|might|could be|wondering|somehow|apparently|seems?|looks like|supposedly|is it|right\\?`,
  product: `(?:(?:when|if|for) )?(?:(?:the|an?|each|every|all|any|our|new) ){0,2}(?:\\p{L}+ )?(?:users?(?!-)|tenants?|guests?|customers?|admins?|editors?|visitors?|members?|clients?|people|orders?|invoices?|rows?|buttons?|dialogs?|modals?|sidebar|pages?|screen|list|form|chart|tooltip|banner|search|export|app|apis?(?! (?:package|module|layer|repo))|cli|scheduler|cache|passwords?|login|mails?|emails?|notifications?|header|footer|menu|table|cart|function|method|parser|item|field|filter|result|response|request|requests|session|value|widget|view|player|game|report|file|importer|exporter|job|worker|queue|server|service|endpoint|retry|crawler|bot|plugin|device)(?! (?:code|codebase|package|library|sources?|repo)(?!\\p{L}))|(?:the|this|that) (?:\\p{L}+ )?(?:query|test|spec|migration|branch|commit|module|component|class|script|comment|handler|controller|route|variable|constant|string|text|label|index|image|colou?r|style|icon|hook|flag|column)`,
};

export const german: RuleWords = {
  common: `der|die|das|den|dem|ein|eine|einen|ist|sind|und|nicht|wir|ich|du|bitte|bei|uns|im|auf|mit|für|von|zu|immer|nie|nur|hier|wird|werden|kein|keine|wie|was|alle|ab|unter|niemand|jede|jeder|gehören|nein|nach|aus|in|statt|keinen|keiner|aber|auch|wenn`,
  filler: `bitte|und|also|aber|ok|okay|ach|übrigens|hinweis|noch was|nochmal|wie gesagt|denn|weil|nein|ne|nee|ja|halt|stopp|hm+|doch|außerdem|achtung|ps|merke?|wichtig ist dass`,
  question: `was|warum|wieso|weshalb|wie(?! (?:überall|immer|gesagt|besprochen|sonst|bei))|wo(?!bei|anders)|wer|wann|welche~|ist|sind|gibt es|kannst|könnt|könntest|können wir|hast|haben wir|hat|benutzen wir|nutzen wir|verwenden wir|müssen|muss|soll~|darf|stimmt|läuft|weißt|braucht|brauchen wir|machen wir`,
  once: `erst ?mal|vorerst|diesmal|dieses mal|ausnahmsweise|heute|morgen|fürs erste|im moment|momentan|gerade|derzeit|einstweilen|vorläufig|vorübergehend|zunächst|bis (?:mo|diens|mitt|donners|frei|sams|sonn)~|bis (?:ich|wir|morgen|dahin|zum|zur|die|der|auf weiteres|ende)|nur (?:in|für) (?:diese[nmrs]?|den|die|das)|für (?:die demo|diesen? (?!projekt|repo)~|dieses mal|jetzt)|in diese[mr] (?:branch|pr|sitzung|commit|datei|lauf|durchgang)|diese woche|noch nicht|solange|einmalig|einmal|hier (?:schluss|aufhören)|hör hier auf|mach hier (?:schluss|halt)`,
  reported: `(?<!\\b(?:ich|wie|du|wir) )(?:sagt~?|sagte~?|meint|meinte|schreibt|schrieb|behauptet~|meldet|berichtet|empfiehlt|erzählt~|steht)|laut|angeblich|heißt es|gelesen|gehört(?=[, ]+dass)|der meinung`,
  doubt: `(?:zwei|drei|2|3|mehrere|beide|ein paar) (?:wege|möglichkeiten|optionen|varianten|ideen|ansätze|alternativen)|vielleicht|vergesse|eventuell|angenommen|stell dir vor|würde~?|wäre~?|könnte~?|müsste~?|sollte man|sollten wir|ich glaube|ich denke|ich frage mich|eigentlich|wenn wir|hätten?|scheint|anscheinend|wohl|ich meinte|ich meine`,
  product: `(?:der|die|das|ein|eine|einen|jede[rsn]?|alle|kein|keine)? ?(?:nutzer~?|benutzer~?|kunde~?|gast|gäste|admin~?|besucher~?|mitglied~?|bestellung~?|rechnung~?|zeile~?|knopf|button~?|dialog~?|seite~?|liste~?|formular~?|suche|export|app|api|schnittstelle~?|anwendung|passw[oö]rt~?|mail~?|menü|tabelle~?|warenkorb|funktion|methode|import|worker|job|bericht|anfrage~?|feld~?|filter|eintrag|einträge|umlaute|maske|anzeige)`,
};

export const spanish: RuleWords = {
  common: `el|la|los|las|un|una|de|del|en|y|que|no|es|son|con|por|para|se|lo|al|esto|aquí|siempre|nunca|todos?|todas?|cada|como|más|pero|sin|nuestr[oa]s?|hay|nadie|está|sí`,
  filler: `por favor|porfa|y|pero|ok|vale|bueno|ah|por cierto|nota|oye|además|otra cosa|repito|como dije|que|porque|ya que|no|sí|así que|eh|ojo|mira`,
  question: `¿|qué|por qué|cómo|dónde|quién~?|cuándo|cuál~?|cuánt~|puedes explicar~?|explícame|hay alguna?|es cierto|sabes`,
  once: `por ahora|de momento|por el momento|ahora mismo|esta vez|por esta|solo (?:por )?(?:esta|hoy|para est[ae]|una vez)|solo para (?:la|esta) demo|para la demo|hoy|mañana|esta (?:semana|tarde|noche|sesión|rama)|est[ae] (?:pr|commit|rama|tarea|archivo|caso)|hasta (?:el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|que|mañana|nuevo aviso|entonces)|temporalmente|provisionalmente|excepcionalmente|como excepción|mientras|todavía|aún no|para(?:r|mos)? (?:por )?aquí|de forma temporal|una vez`,
  reported: `dice~?|dijo|dijeron|(?<!os )digo que|pone que|pone:|según|recomienda~?|opina~?|comentan?|comentó|escribió|leí|he leído|afirma~?|sugiere~?|contó|le[ií]mos`,
  doubt: `(?:dos|tres|varias|ambas) (?:opciones|formas|maneras|alternativas|ideas|vías)|olvido|olvida|quizás?|tal vez|a lo mejor|supón~?|imagina~?|sería|podría~?|debería~? haber|creo que|me pregunto|si (?:siempre|nunca|todos)|parece|deberíamos|quería decir|quise decir|me refería`,
  product: `(?:el|la|los|las|un|una|cada|todos? los|todas? las|ningún)? ?(?:usuari[oa]s?|clientes?|invitad[oa]s?|administrador~?|visitantes?|pedidos?|facturas?|filas?|botón|botones|diálogos?|páginas?|pantalla|lista|formulario|búsqueda|exportación|app|api|aplicación|contraseñas?|correos?|menú|tabla|carrito|función|método|trabajo|proceso|petición|peticiones|campo|filtro|informe|servidor|línea)`,
};

export const french: RuleWords = {
  common: `le|la|les|un|une|des|du|de|et|est|sont|on|nous|je|tu|dans|en|pas|ne|pour|avec|sur|ce|cette|ici|toujours|jamais|chez|tous|toutes|chaque|à|au|aux|qui|que|c'est|personne|non`,
  filler: `s'il te plaît|stp|svp|merci de|et|mais|ok|d'accord|bon|ah|au fait|note|rappel|encore une fois|comme je l'ai dit|que|car|parce que|puisque|non|oui|donc|euh|attention|sinon`,
  question: `pourquoi|comment|où|qui|quand(?! tu)|quel~|est-ce|qu'est-ce|que (?:fait|faire|se)|y a-t-il|combien|peux-tu (?:m'expliquer|expliquer)|explique~?|sais-tu|a-t-on|faut-il|doit-on|c'est quoi`,
  once: `pour (?:l'instant|le moment)|cette fois(?:-ci)?|aujourd'hui|demain|juste (?:pour|cette)|seulement pour (?:cette|ce)|pour (?:la démo|cette (?:fois|pr|branche|tâche|session)|ce (?:commit|fichier|coup))|ce coup-ci|cette (?:semaine|session)|temporairement|provisoirement|exceptionnellement|par exception|en attendant|jusqu'(?:à|au) (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|nouvel|ce|la|le)|pendant que|tant que|pas encore|arrête(?:-toi)? (?:là|ici)|dans (?:cette branche|ce commit|cette pr)|une fois`,
  reported: `dit|disait|disent|dis(?:ait|aient)|a dit|on lit|lit-on|selon|d'après|écrit que|recommande~?|affirme~?|prétend~?|raconte|suggère~?|j'ai lu|paraît-il|indique~?|rapporte~?`,
  doubt: `(?:deux|trois|plusieurs) (?:options|façons|manières|pistes|possibilités|alternatives|idées)|j'oublie|peut-être|imagine~?|suppos~|serait|seraient|pourrai~?|devrai~?|faudrait|je crois|je pense|je me demande|si on|si tout~?|on dirait|semble~?|je voulais dire|je parlais`,
  product: `(?:le|la|les|l'|un|une|chaque|tous les|toutes les|aucun|aucune)? ?(?:utilisat~|clients?|invités?|administrateurs?|visiteurs?|commandes?|factures?|lignes?|boutons?|dialogues?|pages?|écran|liste|formulaire|recherche|export|appli~|api|mots? de passe|mails?|courriels?|menu|tableau|panier|fonction|méthode|job|requêtes? vers|champ|filtre|rapport|serveur)`,
};

export const portuguese: RuleWords = {
  common: `o|a|os|as|um|uma|de|do|da|dos|das|em|no|na|nos|nas|e|que|não|é|são|com|por|para|pra|se|ao|isso|aqui|sempre|nunca|todos?|todas?|toda|cada|mas|sem|nossos?|nossas?|ninguém|gente|está|sim`,
  filler: `por favor|e|mas|ok|tá|bom|ah|aliás|a propósito|nota|olha|além disso|outra coisa|de novo|como eu disse|que|porque|já que|pois|não|sim|então|atenção`,
  question: `o que|por ?qu[eê]|como|onde|quem|quando(?! (?:você )?(?:adicionar|criar|mudar|alterar|escrever|apagar|renomear))|qual|quais|quanto~?|é verdade|me explica|explica~?|tem (?:algum|alguma)|sabe`,
  once: `por enquanto|por agora|no momento|(?<!de )agora|desta vez|dessa vez|só (?:desta|dessa|hoje|uma|para (?:a|esta|este)|pra (?:a|essa|esse))|para a demo|pra demo|hoje|amanhã|(?:nesta|nessa|esta) (?:semana|sessão|branch|tarefa|pr)|neste (?:pr|commit|arquivo|caso)|até (?:segunda|terça|quarta|quinta|sexta|sábado|domingo|amanhã|eu|a gente|que|o|a|segunda ordem)|temporariamente|provisoriamente|excepcionalmente|como exceção|enquanto|ainda não|para por aqui|pode parar|uma vez`,
  reported: `diz|disse|disseram|dizem|falou|falaram|fala que|segundo|de acordo com|recomenda~?|sugere|sugeriu|escreveu|li que|afirma~?|contou|está escrito`,
  doubt: `(?:duas|três|várias) (?:opções|formas|maneiras|alternativas|ideias)|esqueço|talvez|imagina~?|suponha~?|seria|poderia~?|devia|deveria~?|acho que|será que|me pergunto|se (?:a gente|sempre|nunca|todos)|parece|quem sabe|quis dizer|eu queria dizer`,
  product: `(?:o|a|os|as|um|uma|cada|todos os|todas as|todo|toda|nenhum|nenhuma)? ?(?:usuári[oa]s?|clientes?|convidad[oa]s?|administrador~?|visitantes?|pedidos?|notas?|faturas?|linhas?|botão|botões|diálogos?|páginas?|tela|lista|formulário|busca|exportação|app|api|aplicativo|senhas?|e-?mails?|menu|tabela|carrinho|função|método|job|requisições|requisição|campo|filtro|relatório|servidor|itens|item)`,
};

export const russian: RuleWords = {
  common: `и|в|не|на|у|нас|мы|с|это|все|всё|всегда`,
  filler: `пожалуйста|плиз|и|а|но|ок|ладно|кстати|заметка|ещё|еще|кроме того|повторю|как я говорил|что|потому что|так как|ведь|нет|да|так|ну|внимание|стоп|погоди`,
  question: `почему|зачем|как(?! везде| всегда| обычно| и)|где|кто|когда(?! \\p{L}+[её]шь)|что (?:такое|делает|думаешь|это)|какой|какая|какие|каким|сколько|правда ли|верно ли|можешь (?:объяснить|рассказать)|объясни|есть ли|нужно ли|надо ли`,
  once: `пока|на этот раз|в этот раз|сейчас|сегодня|завтра|временно|на время|только (?:сегодня|в этот|для этого|для демо|один раз)|для демо|до (?:понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья|завтра|релиза|конца)|в (?:этом|этой|данном) (?:pr|ветке|коммите|сессии|задаче|файле)|на этой неделе|в виде исключения|ещё не|еще не|один раз|пока что`,
  reported: `говорит|говорят|сказал~?|сказали|пишет|пишут|написал~?|написано|советует|рекоменду\\p{L}+|утверждает|считает|по словам|согласно|читал~?|слышал~?|предлага\\p{L}+`,
  doubt: `(?:два|три|несколько|оба) (?:варианта?|вариантов|способа?|способов|пути|идеи)|забываю|может быть|возможно|допустим|предположим|представь|если бы|бы|кажется|думаю|похоже|вроде|интересно|имел~? в виду|я про`,
  product: `(?:каждый |каждая |каждое |все |любой |в каждом )?(?:пользовател\\p{L}+|клиент~?|гост\\p{L}+|админ\\p{L}*|заказ~?|заказе|счет~?|счёт~?|счета|строк\\p{L}+|кнопк\\p{L}+|диалог~?|страниц\\p{L}+|экран~?|список|форм\\p{L}+|поиск|экспорт|приложени\\p{L}+|api|парол\\p{L}+|письм\\p{L}+|меню|таблиц\\p{L}+|корзин\\p{L}+|функция|метод|задача|запросы?|поле|фильтр|отчет|отчёт|сервер|воркер)`,
};

export const chinese: RuleWords = {
  common: "[\\u4e00-\\u9fff]",
  filler: "请|而且|另外|对了|顺便|注意|因为|还有|不对|不是|好的|但是|那个",
  question: `为什么|怎么(?!说)|哪里|(?<!不管|无论|不论|在)哪个|哪些|什么(?!都不|时候都)|是不是|是否|吗$|吗[?？]|有没有|多少|还是 ?[a-z]|解释一下|谁[写改]|能不能|怎样`,
  once: "暂时|这次|本次|(?<!务必|必须|一定|都要|要|之前|前)先(?!后|说|给|问)|今天|明天|目前|眼下|临时|周[一二三四五六日末]之前|下周|这周|本周|之前不要|仅此一次|例外|这个(?:分支|提交|会话|任务|pr)|等我|等到|演示(?:用|时)|现在不|这一次|就这一次|还没",
  reported: `(?<!顺便)[说讲](?!明|话|中文|英文)|写着|写的是|提到|认为|(?<![数依根])据|建议|显示|声称|报告[说称]|看到有人|听说`,
  doubt: `[两二三几]种(?:办法|方案|方法|做法|思路)|忘记(?!了)|也许|可能|如果我们|假如|假设|要是|会不会|好像|似乎|我觉得|我想知道|怎么看|是不是|我是说|我的意思`,
  product: `^(?:每个|所有|一个)?(?:用户|客户|访客|管理员|会员|订单|发票|按钮|对话框|页面|列表|表单|搜索|导出|应用|接口|系统|密码|邮件|菜单|表格|购物车|函数|方法|任务|请求|字段|夜间任务|保存按钮)`,
};

export const japanese: RuleWords = {
  common: "[\\u3040-\\u30ff]",
  filler: "あと|それから|ちなみに|なお|注意|また|違います|いいえ|いや|すみません|えっと",
  question: `なぜ|どうして|どこ|どれ|どちら|どう(?!しても)|何(?!も|があって)|誰(?!も|にも)|いつ(?!も)|ですか|ますか|でしょうか|[かの][?？]$|のか$|説明して|教えて`,
  once: "とりあえず|今回|今日|明日|一旦|いったん|ひとまず|当面|しばらく|当分|まだ|[月火水木金土日]曜(?:日)?まで|来週|今週|例外|このブランチ|この(?:コミット|pr|セッション|タスク)|までは?触|デモ(?:用|では)|一時的|先に確認|今は",
  reported: `と(?:言|いっ|書|あり|出て|述べ|聞)|によると|らしい|だそう|そうです|と主張|って言|曰く|勧めて|推奨されて`,
  doubt: `[二三2３いくつ]+(?:つの)?(?:案|方法|選択肢|やり方)が|忘れるので|忘れて(?:しま|いま)|かもしれ|もし|仮に|たぶん|おそらく|思いますか|と思う|気がする|でしょうか|だったら|想像`,
  product: `^(?:すべての|各|全)?(?:ユーザー(?!向け)|利用者|顧客|ゲスト|管理者|会員|注文|請求書|ボタン|保存ボタン|ダイアログ|画面|ページ|一覧|リスト|フォーム|検索|エクスポート|アプリ|api|パスワード|メール|メニュー|表|カート|関数|メソッド|ジョブ|夜間ジョブ|リクエスト|フィールド|サーバー)|^(?:レポート|帳票|通知)`,
};
