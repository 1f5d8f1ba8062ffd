import type { PhraseKind } from '../../../packages/core/src/signals/negation.ts'

type Row = readonly [name: string, pattern: RegExp, ...literals: string[]]

// A gap between two words of a phrase stays within one sentence and is short, so that matching takes linear time.
/** Every phrase: group, kind of negation, name, pattern, literals. To add one, add a line. */
export const PHRASE_TABLE: readonly {
  readonly group: string
  readonly weighing: PhraseKind
  readonly rows: readonly Row[]
}[] = [
  {
    group: 'cub',
    weighing: 'tag',
    rows: [['promise', /<promise>\s*complete\s*<\/promise>/i, '<promise>']],
  },
  {
    group: 'cub',
    weighing: 'fact',
    rows: [
      ['all-tasks-completed', /\ball tasks\b.{0,80}?\bcompleted?\b/i, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/i, 'finished'],
      ['ready-for-review', /\bready for review\b/i, 'ready for review'],
      ['no-remaining-work', /\bno remaining work\b/i, 'no remaining work'],
      ['criteria-met', /\ball acceptance criteria\b.{0,80}?\bmet\b/i, 'acceptance criteria'],
    ],
  },
  {
    group: 'doyaken',
    weighing: 'fact',
    rows: [
      ['all-complete', /\ball\b.{0,80}?\bcompleted?\b/i, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/i, 'finished'],
      ['task-done', /\btasks?\b.{0,80}?\bdone\b/i, 'done'],
      ['tests-passing', /\btests?\b.{0,80}?\bpass(?:ing|ed)\b/i, 'passing', 'passed'],
      [
        'successfully-completed',
        /\bsuccessfully\b.{0,80}?(?<!\b(?:a|an|the) )\bcomplet(?:e|ed|es|ing|ion)\b/i,
        'successfully',
      ],
    ],
  },
  {
    group: 'ralph-done',
    weighing: 'fact',
    rows: [
      ['done', /(?<!["'“(-])\bdone\b(?![[(<=-])/i, 'done'],
      ['complete', /(?<!-|\b(?:a|an|the|your|my|our) )\bcompleted?\b(?!<|-)/i, 'complete'],
      ['finished', /(?<!-|\b(?:a|an|the) )\bfinished\b(?!<)/i, 'finished'],
      ['all-tasks-complete', /\ball tasks (?:(?:are|were|have been|is|now) ){0,2}completed?\b/i, 'complete'],
      ['project-complete', /\bproject (?:(?:is|was|has been|now) ){0,2}completed?\b/i, 'complete'],
      ['ready-for-review', /\bready for review\b/i, 'ready for review'],
    ],
  },
  {
    group: 'asks',
    weighing: 'certainty',
    rows: [
      [
        'leave',
        /\b(?:please|(?:could|can|would|will) you(?: please)?|(?:need|waiting for|wait for) (?:you|the user) to)\b[^.?!]{0,60}?\b(?:grant|approve|authori[sz]e)\b/i,
        'grant',
        'approve',
        'authori',
      ],
      [
        'permission',
        /\bI(?: am|['’]m|['’]ll| will)?(?: still| also| now)? (?:need|require|wait(?:ing)? for|await(?:ing)?|blocked (?:on|by|waiting for))\b[^.?!]{0,60}?\b(?:permissions?|approval)\b/i,
        'permission',
        'approval',
      ],
      [
        'approval',
        /\b(?:requires?|needs?|awaits?|awaiting|waiting for|pending) (?:your|user) (?:permissions?|approval)\b/i,
        'permission',
        'approval',
      ],
      [
        'other-languages',
        /\b(?:necesito (?:tu|su) (?:permiso|aprobación|autorización)|esperando (?:tu|su) (?:permiso|aprobación)|(?:brauche|benötige|warte auf) (?:deine|ihre|die) (?:erlaubnis|genehmigung|freigabe|zustimmung)|besoin de (?:votre|ta) (?:autorisation|permission|approbation)|preciso da sua (?:permissão|aprovação)|ho bisogno (?:del tuo|della tua) (?:permesso|autorizzazione|approvazione))(?!\p{L})|нужно ваше (?:разрешение|одобрение)|需要(?:您|你)的?(?:授权|批准|许可|權限|权限|同意)|等待(?:您|你)的?(?:授权|批准|许可|确认)|(?:許可|承認)(?:が必要|をお願い|をください)|승인이 필요|권한이 필요/iu,
        ...'permiso|aprobación|autorización|erlaubnis|genehmigung|freigabe|zustimmung|autorisation|permission|approbation|permissão|aprovação|permesso|autorizzazione|approvazione|разрешение|одобрение|需要|等待|許可|承認|승인|권한'.split(
          '|',
        ),
      ],
    ],
  },
  {
    group: 'ralph-idle',
    weighing: 'fact',
    rows: [
      ['nothing-to-do', /\bnothing (?:left )?to do\b(?! with)/i, 'nothing to do', 'nothing left to do'],
      [
        'no-changes',
        /\bno (?:code |file |further |more )?changes\b/i,
        ...'no changes|no code changes|no file changes|no further changes|no more changes'.split('|'),
      ],
      ['already-implemented', /\balready (?:been )?(?:fully )?implemented\b/i, 'implemented'],
      ['up-to-date', /\bup[ -]to[ -]date\b/i, 'to date', 'to-date'],
    ],
  },
  {
    group: 'sure',
    weighing: 'certainty',
    rows: [
      ['confident', /\bconfident\b/i, 'confident'],
      ['sure', /(?<!\b(?:make|makes|making|made|be) )\bsure\b/i, 'sure'],
      ['certainly', /\bcertainly\b/i, 'certainly'],
      ['absolutely', /\babsolutely\b/i, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/i, 'undoubtedly'],
      ['ensured', /\bensured\b/i, 'ensured'],
    ],
  },
  {
    group: 'likely',
    weighing: 'certainty',
    rows: [
      ['likely', /\blikely\b/i, 'likely'],
      ['probably', /\bprobably\b/i, 'probably'],
    ],
  },
  {
    group: 'unsure',
    weighing: 'mention',
    rows: [
      ['not-sure', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} sure\b/i, 'sure'],
      ['not-confident', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} confident\b/i, 'confident'],
      ['not-certain', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} certain\b/i, 'certain'],
      ['unsure', /\bunsure\b/i, 'unsure'],
      ['uncertain', /\buncertain\b/i, 'uncertain'],
    ],
  },
  {
    group: 'hedge',
    weighing: 'mention',
    rows: [
      ['maybe', /\bmaybe\b/i, 'maybe'],
      ['might', /\bmight\b/i, 'might'],
      ['could', /\bcould\b(?! not\b)/i, 'could'],
      ['approximately', /\bapproximately\b/i, 'approximately'],
      ['roughly', /\broughly\b/i, 'roughly'],
      ['basically', /\bbasically\b/i, 'basically'],
      ['i-think', /\bi think\b/i, 'i think'],
    ],
  },
  {
    group: 'certain',
    weighing: 'certainty',
    rows: [
      ['definitely', /\bdefinitely\b/i, 'definitely'],
      ['certainly', /\bcertainly\b/i, 'certainly'],
      ['absolutely', /\babsolutely\b/i, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/i, 'undoubtedly'],
      ['assured', /\bassured\b/i, 'assured'],
      ['guaranteed', /\bguaranteed\b/i, 'guaranteed'],
    ],
  },
  {
    group: 'error',
    weighing: 'trouble',
    rows: [
      ['error', /\berrors?\b/i, 'error'],
      ['failed', /\bfailed\b/i, 'failed'],
      ['exception', /\bexceptions?\b/i, 'exception'],
      ['issue', /\bissues?\b/i, 'issue'],
      ['problem', /\bproblems?\b/i, 'problem'],
      ['bug', /\bbugs?\b/i, 'bug'],
      ['mistake', /\bmistakes?\b/i, 'mistake'],
    ],
  },
  {
    group: 'ralph-question',
    weighing: 'mention',
    rows: [
      [
        'should-i',
        /\b(?:should|shall|may|can) (?:i|we)\b[^?]{0,300}\?/i,
        ...'should i|should we|shall i|shall we|may i|may we|can i|can we'.split('|'),
      ],
      ['do-you', /\bdo you (?:want|prefer|need|have|mean|think|like|agree)\b[^?]{0,300}\?/i, 'do you'],
      ['would-you', /\b(?:would|could|can|will) you\b[^?]{0,300}\?/i, 'would you', 'could you', 'can you', 'will you'],
      [
        'which-option',
        /\bwhich (?:option|approach|one|version|way|of)\b[^?]{0,200}(?:\bprefer|\bchoose|\bwant|\?)/i,
        ...'which option|which approach|which one|which version|which way|which of'.split('|'),
      ],
      ['how-should', /\b(?:how|what|where) should\b[^?]{0,300}\?/i, 'how should', 'what should', 'where should'],
      ['please-confirm', /\bplease (?:confirm|clarify|advise|approve|choose|specify|decide|let me know)\b/i, 'please'],
      [
        'awaiting-input',
        /\b(?:awaiting|waiting (?:for|on)|pending) (?:your|user|further) (?:input|answer|response|reply|decision|approval|confirmation|feedback|instructions|permission)\b/i,
        'waiting',
        'pending',
      ],
      ['let-me-know', /\blet me know (?:if|which|what|how|whether|when|your)\b/i, 'let me know'],
      [
        'is-it-ok',
        /\bis (?:it|that|this) (?:ok|fine)[^?]{0,200}\?/i,
        ...'is it ok|is it fine|is that ok|is that fine|is this ok|is this fine'.split('|'),
      ],
      // The usual ways to ask in other languages. A question mark alone is not enough: agents also ask themselves.
      [
        'asks-de',
        /(?:\b(?:soll(?:en|te)? (?:ich|wir)|möcht(?:est|en) (?:du|sie)|kannst du|können sie|welche (?:option|variante)|darf ich)(?!\p{L})[^?]{0,300}\?|\bbitte (?:bestätige|entscheide|wähle|gib)(?:n sie)?(?!\p{L}))/iu,
        ...'soll|möcht|kannst du|können sie|welche|darf ich|bitte'.split('|'),
      ],
      [
        'asks-es',
        /¿\s*(?:(?:quieres?|deseas?|prefieres?|puedo|puedes|podrías?|debo|debería(?:mos)?|te gustaría|qué (?:prefieres|opción)|cuál|cómo (?:quieres|prefieres))(?!\p{L}))[^?]{0,300}\?|\bpor favor,? (?:confirma|indica|decide|elige|dime)(?!\p{L})/iu,
        '¿',
        'por favor',
      ],
      [
        'asks-fr',
        /(?:\b(?:voulez-vous|veux-tu|souhaitez-vous|dois-je|devrais-je|puis-je|pouvez-vous|préférez-vous|quelle option)(?!\p{L})[^?]{0,300}\?|\bveuillez (?:confirmer|préciser|choisir)(?!\p{L}))/iu,
        ...'-vous|-tu|-je|quelle option|veuillez'.split('|'),
      ],
      [
        'asks-pt',
        /(?:\b(?:você (?:quer|prefere|gostaria)|devo|posso|deseja|qual (?:opção|prefere))(?!\p{L})[^?]{0,300}\?|\bpor favor,? (?:confirme|escolha|informe)(?!\p{L}))/iu,
        ...'você|devo|posso|deseja|qual|por favor'.split('|'),
      ],
      [
        'asks-it',
        /\b(?:vuoi|vuole|preferisci|devo|posso|dovrei|quale (?:opzione|preferisci))(?!\p{L})[^?]{0,300}\?/iu,
        ...'vuoi|vuole|preferisci|devo|posso|dovrei|quale'.split('|'),
      ],
      [
        'asks-ru',
        /(?:хотите|хочешь|следует ли|могу ли|нужно ли|мне (?:продолжить|следует)|какой вариант|предпочитаете)[^?]{0,300}\?|пожалуйста,? (?:подтвердите|уточните|выберите)/iu,
        ...'хотите|хочешь|ли |мне |какой вариант|предпочитаете|пожалуйста'.split('|'),
      ],
      [
        'asks-zh',
        /(?:请(?:确认|选择|告诉我|指示|决定|提供)|請(?:確認|選擇|告訴我|指示|決定|提供)|(?:您|你)(?:希望|想要?|需要|觉得|覺得|更?喜欢|更?喜歡|同意)[^?？。]{0,200}[?？吗嗎]|(?:是否|要不要|可以|能否)[^?？。]{0,200}[?？]|(?:吗|嗎|呢)[?？])/u,
        ...'请|請|您|你|是否|要不要|可以|能否|吗|嗎|呢'.split('|'),
      ],
      [
        'asks-ja',
        /(?:ますか|でしょうか|よろしいですか|いいですか|どちら[^。?？]{0,100}か)[。?？]?|(?:ご?確認|ご?指示|お選び|教えて)(?:ください|下さい|いただけ)/u,
        ...'ますか|でしょうか|ですか|どちら|ください|下さい|いただけ'.split('|'),
      ],
      [
        'asks-ko',
        /(?:할까요|될까요|원하시나요|하시겠습니까|어떤 (?:옵션|방법)|확인해 주세요|선택해 주세요|알려 ?주세요)/u,
        ...'까요|나요|니까|어떤|주세요'.split('|'),
      ],
    ],
  },
  {
    group: 'ralph-test',
    weighing: 'mention',
    rows: [
      ['running-tests', /\brunning (?:the |all |all the |unit )?tests\b/i, 'running'],
      ['npm-test', /\bnpm (?:run )?test\b/i, 'npm test', 'npm run test'],
      ['bats', /\bbats\b/i, 'bats'],
      ['pytest', /\bpytest\b/i, 'pytest'],
      ['jest', /\bjest\b/i, 'jest'],
    ],
  },
  {
    group: 'ralph-work',
    weighing: 'mention',
    rows: [
      ['implementing', /\bimplementing\b/i, 'implementing'],
      ['creating', /\bcreating\b/i, 'creating'],
      ['writing', /\bwriting\b/i, 'writing'],
      ['adding', /\badding\b/i, 'adding'],
      ['function', /\bfunctions?\b/i, 'function'],
      ['class', /\bclass(?:es)?\b/i, 'class'],
    ],
  },
]
