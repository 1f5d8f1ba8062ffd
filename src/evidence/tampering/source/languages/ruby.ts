import { each, type LanguageSyntax, words } from './language.ts'

export const ruby: LanguageSyntax = {
  grammars: ['ruby'],
  strings: words(
    'string simple_symbol delimited_symbol string_array symbol_array heredoc_beginning subshell character uninterpreted',
  ),
  regexes: words('regex'),
  comments: words('comment'),
  blocks: {
    ...each('method singleton_method', { body: 'function' }),
    ...each('class module singleton_class', { body: 'class' }),
    call: { block: 'lambda' },
    ...each('super yield', { block: 'lambda' }),
    lambda: { body: 'lambda' },
    ...each('if unless elsif', { consequence: 'if' }),
    else: { '@self': 'else' },
    ...each('while until for', { body: 'loop' }),
    begin: { '@self': 'try' },
    rescue: { body: 'catch' },
    ensure: { '@self': 'finally' },
    ...each('when in_clause', { body: 'other' }),
  },
  braces: { hash: 'object' },
  sequences: words('body_statement block_body then do else ensure begin parenthesized_statements'),
  parts: words('rescue else ensure'),
}
