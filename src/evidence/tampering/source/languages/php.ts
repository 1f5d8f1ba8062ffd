import { each, type LanguageSyntax, words } from './language.ts'

export const php: LanguageSyntax = {
  grammars: ['php'],
  strings: words('string encapsed_string heredoc nowdoc shell_command_expression'),
  words: words('variable_name'),
  comments: words('comment'),
  skipped: words('text text_interpolation php_tag php_end_tag'),
  annotations: words('attribute_list'),
  blocks: {
    ...each('function_definition method_declaration anonymous_function arrow_function', { body: 'function' }),
    ...each(
      'class_declaration trait_declaration interface_declaration enum_declaration anonymous_class namespace_definition',
      { body: 'class' },
    ),
    ...each('if_statement else_if_clause', { body: 'if' }),
    else_clause: { body: 'else' },
    ...each('for_statement foreach_statement while_statement do_statement', { body: 'loop' }),
    switch_statement: { body: 'switch' },
    match_expression: { body: 'switch' },
    try_statement: { body: 'try' },
    catch_clause: { body: 'catch' },
    finally_clause: { body: 'finally' },
  },
}
