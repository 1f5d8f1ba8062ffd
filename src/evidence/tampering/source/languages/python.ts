import { each, type LanguageSyntax, words } from './language.ts'

export const python: LanguageSyntax = {
  grammars: ['python'],
  strings: words('string'),
  comments: words('comment'),
  // Python reads `ｓｋｉｐ` as `skip`.
  nameOf: (text) => text.normalize('NFKC'),
  skipped: words('line_continuation'),
  annotations: words('decorator'),
  blocks: {
    function_definition: { body: 'function' },
    class_definition: { body: 'class' },
    ...each('if_statement elif_clause', { consequence: 'if' }),
    else_clause: { body: 'else' },
    ...each('for_statement while_statement', { body: 'loop' }),
    try_statement: { body: 'try' },
    ...each('except_clause except_group_clause', { block: 'catch' }),
    finally_clause: { block: 'finally' },
    with_statement: { body: 'other' },
    match_statement: { body: 'switch' },
    case_clause: { consequence: 'other' },
  },
  braces: { dictionary: 'object', set: 'object', dictionary_comprehension: 'object', set_comprehension: 'object' },
}
