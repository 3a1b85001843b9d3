// Detects sentences that say that work is left, in eight languages.
import { cueOf, removing } from "../../text/cue-pattern.ts";

/** True when a sentence says plainly that work is left: by a label in front ("Left: …"), or by a phrase that nothing denies or makes a case. */
export function saysLeftOpen(text: string): boolean {
  if (label.test(text)) return true;
  return [...text.matchAll(phrases)].some(({ index }) => {
    const before = text.slice(Math.max(0, index - farthest), index);
    return !denied.test(before) && !condition.test(before) && !isOfThing(before, text.slice(index));
  });
}

/** The text without the words that say that work is left. */
export function withoutOpenCues(text: string): string {
  return removing(phrase, removing(label, text));
}

/** The text without a label in front that says no more than "left open": "Next steps: add a test" gives "add a test". */
export function withoutOpenLabel(text: string): string {
  const rest = text.replace(bareLabel, "");
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

// A file or a connection can be open too.
function isOfThing(before: string, after: string): boolean {
  return /^(?:(?:is|are|still|ist|sind|bleib\w+|noch)\s+)*(?:open|offen)/i.test(after) && thing.test(before);
}

const farthest = 60;

const label = cueOf(
  {
    words: `(?:(?:and|also|still|what(?:'s| is)?) )*(?:left|open|to-?do|to do|remaining|remains|pending|unfinished|undone|outstanding|blocked|next steps?|
      (?:open|remaining|unfinished|outstanding) (?:work|points?|questions?|items?|tasks?|ends)|not (?:yet )?(?:done|started|converted|migrated|committed|tested|covered|finished|ported|written)(?: yet)?|
      still (?:missing|to \\w+|undone)|missing|tomorrow)(?: (?!is |are |was |were )[\\w'\`-]+){0,4} ?[:：]|
      next(?: up)? ?:|left (?:is|are)(?! the same)|(?:noch )?(?:offen|übrig|ausstehend|zu tun|unerledigt)(?: \\w+){0,2} ?:|(?:es )?(?:fehl(?:t|en)|bleib(?:t|en))(?: noch)?(?: \\w+)? ?:|
      was (?:noch )?(?:fehlt|bleibt|offen ist) ?:|nächste[rs]? schritte? ?:|als nächstes ?:|morgen ?:|offene (?:punkte|fragen|arbeit\\w*) ?:|
      (?:queda(?:n)?|falta(?:n)?|pendientes?|por hacer|próximos? pasos?|siguientes? pasos?|mañana)(?: \\w+){0,2} ?:|
      (?:(?:il )?reste(?:nt)?(?: à faire)?|à faire|en attente|prochaines? étapes?|demain)(?: \\w+){0,2} ?:|
      (?:falta(?:m)?|resta(?:m)?|pendentes?|pendências?|por fazer|próximos? passos?)(?: \\w+){0,2} ?:|
      (?:ещё |еще )?(?:осталось|остались|не сделано|не готово|дальше|завтра|следующий шаг)(?: \\w+){0,2} ?:`,
    runs: "(?:还)?(?:剩下|剩余|未完成|待办|下一步|明天)[^。:：]{0,6}[:：]|(?:残り|残作業|未完了|未対応|次)(?:の作業|のタスク|は)?[:：]",
  },
  "(?:^|[.!?。！？]\\s*)[\\W_]*",
);

const bareLabel = cueOf(
  {
    words: `(?:(?:and|also|still|what(?:'s| is)?) )*(?:left(?: open)?|open|to-?do|to do|remaining|pending|unfinished|next(?: up| steps?)?|(?:open|remaining) (?:work|points?|items?|tasks?)) ?:|
      (?:noch )?offen ?:|offene punkte ?:|nächste[rs]? schritte? ?:|als nächstes ?:|(?:queda|falta)n? ?:|pendientes? ?:|(?:próximos?|siguientes?) pasos? ?:|
      (?:il )?reste(?: à faire)? ?:|prochaines? étapes? ?:|pendentes? ?:|próximos? passos? ?:|(?:ещё |еще )?осталось ?:|дальше ?:`,
    runs: "(?:还)?(?:剩下|待办|下一步)[:：]|残り[:：]",
  },
  "^[\\W_]*",
);

const phrase = cueOf({
  words: `(?:i|we)(?:'ve| have| did|)(?:n't| not) (?:yet )?\\w+(?=[^.;:]{1,80} yet(?= ?[.,;!)]|$))|(?:i|we)(?:'ve| have) not yet \\w+|
    (?:is|are) left (?:to do|undone)|left to (?:do|you)|(?:is|are|'s) left(?= ?[.,;:!)]|$| (?:is|are|in the) )|left for (?:next time|later|now|another|tomorrow)|
    remains? (?:to be|to do|undone|open)|what remains|(?:is|are|still|remains?) (?:undone|unfinished|outstanding)|half done|half finished|
    still (?:to (?:do|be|come|convert|write|migrate|add|build|port|test|decide|fix|check)|has to|have to|needs?(?! \\d)|missing|undone|pending|lacks?|not|to-?do|fails?|makes?(?= [^;:]{1,40} fail))|still .to-?do|
    not (?:yet )?(?:done|started|committed|pushed|merged|written|converted|migrated|finished)|not run(?= ?[.,;]|$)|
    not (?:yet )?(?:\\w+ ){0,2}(?:covered|mentioned|documented|tested|part of|in place|there|handled|wired|deployed|released|reviewed|decided|implemented|added|updated|ported|fixed|touched|built|supported|in the code)(?=[^;:]{0,50} yet)|
    not yet (?:covered|mentioned|documented|tested|in place|there|handled|wired|deployed|released|reviewed|decided|implemented|added|updated|ported|fixed|touched|built)|
    (?:doesn't|does not) (?:mention|cover|handle|support)(?= [^;:]{1,60} yet)|no(?= \\w+(?: [^.,;]{1,50})? yet)|
    have not (?:yet )?(?:done|started|touched|run|written|looked|tested)|(?:was|were) not (?:started|run)|did not (?:run|start|touch) (?:it|them|this|that)|
    could not (?:run|test|check|finish) (?:it|them|this|that)|still untouched|are untouched(?= ?[.;]|$)|untouched (?:so far|yet)|
    is the next (?:step|piece|one|part|task|thing)|(?:is|are|comes?) next(?= ?[.,;]|$)|next steps? (?:is|are|would be)|
    stopped half ?way|(?<!\\w )stopped (?:at|after|before)|(?:waits?|waiting|blocked) (?:for|on|until) (?:you|(?:the |an? |your |their )?(?:[\\w-]+ )?(?:answer|decision|review|approval|reply|go-ahead|sign-?off|feedback|drawing|designs?|team|vendor|customer|user))|
    (?:release|merge|rollout|cutover|pr|ticket|rest|cleanup|removal|upgrade)(?: (?:of|for|to) [\\w.\`-]+)?,? (?:still )?(?:waits?|is waiting|is blocked) (?:for|on|until)|
    (?:is|are|remains?|still) pending(?= ?[.,;)]|$)|needs? (?:a|your) (?:decision|answer|confirmation)|yet to be|
    (?:is|are|still|left) open(?= ?[.,;:!)]|$| (?:from|whether|how|until))|
    noch nicht|noch (?:offen|unerledigt)|noch zu (?:tun|klären|machen)|noch zu \\w+en(?= ?[.,;]|$)|fehl(?:t|en) noch|noch (?:fehl(?:t|en)|ausstehend)|steh(?:t|en) noch (?:aus|an|bevor)|
    (?:ist|sind|bleib(?:t|en)) (?:noch )?offen(?= ?[.,;:)]|$)|bleibt noch (?:zu|das|die|der)|nächster schritt (?:ist|wäre)|wartet auf (?:dich|(?:die |eine |deine |das )?(?:antwort|entscheidung|freigabe|review|rückmeldung))|
    (?:está|están|queda|quedan|sigue|siguen) pendientes?|pendientes? de (?:revis\\w+|decid\\w+|decisi\\w+|respuesta|migrar|hacer)|(?:aún|todavía) falta(?:n)?|falta(?:n)? (?:por )?(?:\\w+[aei]r(?:l[aeo]s?)?)|
    queda(?:n)? (?:por|parad[oa])|todavía no|aún no|se reanuda|(?:siguiente|próximo) paso (?:es|será)|
    il (?:me |nous )?reste (?:à|encore|le|la|les|l'\\w+|une?|deux|trois|\\d+)|reste(?:nt)? (?:encore )?à|pas encore|(?:est|sont|encore|toujours|reste(?:nt)?) (?:à faire|en attente)|prochaine étape est|
    ainda não|ainda falta(?:m)?|falta(?:m)? (?:\\w+[aei]r)|(?:está|estão|fica|ficam|segue|seguem|ainda) pendentes?|fic(?:a|ou|am) por fazer|próximo passo é|
    (?:осталось|остались)(?!,? (?:прежн|так|без|зел|как|те |тем|быстр|неизмен))|остаётся (?:сделать|написать|добавить|перенести|проверить|решить)|(?:ещё|еще) не|не начат\\w*|не сделан\\w*|не трогал\\w*|следующий шаг|жд[её]т (?:вас|ответа|решения|проверки)`,
  runs: "还没|尚未|还未|未完成(?!的)|剩下(?!的?[^。]{0,12}不变)|没开始|未着手|未対応|まだ(?:です|だ(?:$|。)|終わ|着手|対応し|[^。、]{0,16}(?:ていない|ていません|できていな))|残って(?!も)|残りは",
});
const phrases = new RegExp(phrase.source, "gi");

const denied =
  /(?:^|[^\p{L}])(?:nothing|none|nobody|no|without|never|nichts|kein\w*|nada|ning\p{L}+|rien|aucune?|nenhum\p{L}*|ничего|нет)(?=[^\p{L}])[^.,;:]*$|没有[^。，]{0,10}$/iu;

// "If the job is not started" is a case, not open work.
const condition =
  /(?:^|[^\p{L}])(?:if|when|whenever|unless|until|while|because|wenn|falls|solange|weil|si|cuando|mientras|porque|quand|tant que|parce que|se|quando|enquanto|если|когда|пока|потому что)(?=[^\p{L}])[^,;:.]*$|(?:如果|当|因为)[^。，]*$/iu;

const thing =
  /(?:^|[^\p{L}])(?:prs?|pull requests?|files?|handles?|descriptors?|sockets?|connections?|streams?|cursors?|transactions?|ports?|doors?|windows?|tabs?|dialogs?|modals?|menus?|panels?|drawers?|valves?|gates?|circuits?|breakers?|sessions?|accounts?|channels?|locks?|source|datei(?:en)?|verbindung(?:en)?|fenster|türe?n?|ports?)(?: [`\w/.#-]+){0,3}\s*$/iu;
