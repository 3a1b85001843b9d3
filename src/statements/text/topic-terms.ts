// The terms of a sentence that name its topic: stems without common words, in eight languages.
import { stem } from "../../text/stem.ts";
import { bareWordsOf, pairsOf, termsOfWord } from "../../text/words.ts";

/** Distinct terms of a text in the order of their first use. Chinese and Japanese give pairs of characters. */
export function topicTermsOf(text: string): string[] {
  const terms = new Set<string>();
  for (const word of bareWordsOf(text)) {
    if (word.isRun) {
      for (const [first, second = ""] of pairsOf(word.text))
        if (!kanaOnly.test(first + second)) terms.add(first + second);
    } else for (const term of termsOfWord(word)) if (!isCommon(term)) terms.add(shortForm(term));
  }
  return [...terms];
}

/** The same without the words that every rule may have: "always", "use", "from now on". */
export function tellingTermsOf(text: string): string[] {
  fillers ??= new Set(topicTermsOf(fillerWords));
  const common = fillers;
  return topicTermsOf(text).filter((term) => !common.has(term));
}

/** Counts the terms of the first set that the second has too. */
export function sharedCount(some: ReadonlySet<string>, all: ReadonlySet<string>): number {
  return [...some].filter((term) => all.has(term)).length;
}

/** True for articles, pronouns, auxiliaries and polite words. */
function isCommon(term: string): boolean {
  commonTerms ??= new Set([...commonWords, ...commonWords.map(stem)]);
  return commonTerms.has(term) || (term.length < 2 && !/\d/.test(term));
}

// Russian inflection goes beyond the stemmer.
function shortForm(term: string): string {
  return cyrillic.test(term) && term.length > 5 ? term.slice(0, Math.max(4, term.length - 2)) : term;
}

const kanaOnly = /^[\u3040-\u30ffー]+$/;
const cyrillic = /[а-яё]/i;

// Made at first use: their stems take 7 ms of the worker's start.
let commonTerms: ReadonlySet<string> | undefined;
let fillers: ReadonlySet<string> | undefined;

// Lower case, without marks.
const commonWords: readonly string[] =
  `us use make made want need get go do thing like new add work way look see also still well good better best back
  first last time tell ask show give take put let help pleas thank thanks hi hello morn ok okay yes no yeah sure mayb
  realli actual alreadi someth someon everyth anyth noth one two three four five don doesn didn isn wasn aren won can
  couldn wouldn shouldn ve ll re im id quick short question sentenc write explain start end now today yesterday
  know knew happen without nobodi anybodi somebodi idea ago coupl guess mess keep got seem
  tomorrow week month year day just even much mani lot bit small big littl
  der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind war waren wird
  werden wurde hat haben habe hatte kann konnen konnte soll sollen sollte muss mussen mal noch nur auch schon jetzt wir
  ich du er sie es ihr uns unser unsere unseren mir mich dir dich sich man wie was wer wo wenn dann dass weil da dort
  hier im in am an auf aus bei bis fur mit nach ohne um unter uber von vom vor zu zum zur als so sehr mehr bitte danke
  mach machen macht dafur damit dazu davon diese dieser dieses einmal alle alles immer wieder gut neu neue neuen etwa
  el la los las un una unos unas y o pero no es son era fue ser esta estan este esto eso esa ese ha han hay he se si lo
  le les me te nos mi tu su sus por para con sin de del al en que como cual cuando donde porque mas muy ya todo toda
  todos cada ahora hacer haz hace puede puedes podemos quiero favor gracias tambien solo otra otro nuevo nueva
  le les un une des du au aux et ou mais ne pas plus est sont etait ete etre a ont ai avoir ce cet cette ces ca il elle
  on nous vous ils je tu me te se mon ma mes ton son sa ses notre nos votre pour par avec sans dans sur sous de d l n s
  qu que qui quoi dont ou comment quand pourquoi si tout toute tous tres bien aussi encore deja maintenant fait faire
  fais peut peux faut merci svp nouveau nouvelle
  o os as um uma uns umas e ou mas nao sim do da dos das no na nos nas ao aos pelo pela por para com sem em de que como
  quando onde porque se ser foi era sao esta estao isso isto esse essa este esta ele ela eles eu voce nos meu minha seu
  sua mais muito ja tambem so ainda agora fazer faz faca pode podemos quero favor obrigado tudo toda todos cada novo nova
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет
  о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может
  они тут где есть надо нам для мы тебя их чем была сам чтоб чтобы без будто чего раз тоже себе под будет тогда кто этот
  того потому этого какой этом один почти мой тем нее нужно можно это эти эта сделай сделать пожалуйста спасибо`.split(
    /\s+/,
  );

const fillerWords = `always never not nor instead rather longer anymore any more only must should shall may can prefer preferred
    avoid stop use used uses using switch switched switching moved change changed keep kept choose chose future rule forget
    without forbidden banned allowed everything anything here project
    nie niemals statt stattdessen anstatt verwende verwenden verwendet benutze benutzen benutzt nutze nutzen nutzt nimm
    nehmen nehme lieber künftig sofort immer grundsätzlich ab jetzt regel verboten vermeide vermeiden projekt
    nunca jamás usa usar usamos usen uses lugar vez adelante partir siempre evita evitar prefiere regla proyecto
    jamais utilise utilisez utiliser utilisons lieu plutôt désormais dorénavant partir toujours évite préfère règle projet
    use usar usamos usem lugar vez diante partir agora sempre evite prefira regra projeto
    никогда нельзя вместо используй используем использовать используйте всегда отныне впредь теперь момента больше правило
    проекте бери берём`;
