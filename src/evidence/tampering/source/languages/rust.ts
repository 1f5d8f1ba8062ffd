import { each, type LanguageSyntax, words } from './language.ts'

export const rust: LanguageSyntax = {
  grammars: ['rust'],
  strings: words('string_literal raw_string_literal char_literal'),
  words: words('lifetime'),
  comments: words('line_comment block_comment shebang'),
  blocks: {
    function_item: { body: 'function' },
    ...each('mod_item impl_item trait_item struct_item enum_item union_item', { body: 'class' }),
    closure_expression: { body: 'lambda' },
    if_expression: { consequence: 'if' },
    else_clause: { '*': 'else' },
    ...each('for_expression while_expression loop_expression', { body: 'loop' }),
    match_expression: { body: 'switch' },
  },
  braces: { field_initializer_list: 'object' },
  opaque: words('token_tree'),
}
