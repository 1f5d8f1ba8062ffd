import { each, type LanguageSyntax, words } from './language.ts'

export const go: LanguageSyntax = {
  grammars: ['go'],
  strings: words('interpreted_string_literal raw_string_literal rune_literal'),
  comments: words('comment'),
  blocks: {
    ...each('function_declaration method_declaration func_literal', { body: 'function' }),
    if_statement: { consequence: 'if', alternative: 'else' },
    for_statement: { body: 'loop' },
  },
  braces: {
    expression_switch_statement: 'switch',
    type_switch_statement: 'switch',
    select_statement: 'switch',
    literal_value: 'object',
  },
}
