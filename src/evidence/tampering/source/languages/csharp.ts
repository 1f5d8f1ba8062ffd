import { each, type LanguageSyntax, words } from './language.ts'

export const csharp: LanguageSyntax = {
  grammars: ['c-sharp'],
  strings: words(
    'string_literal verbatim_string_literal raw_string_literal interpolated_string_expression character_literal',
  ),
  comments: words('comment'),
  skipped: words(
    'preproc_region preproc_endregion preproc_line preproc_pragma preproc_nullable preproc_error preproc_warning preproc_define preproc_undef preproc_if_in_attribute_list shebang_directive',
  ),
  annotations: words('attribute_list'),
  blocks: {
    ...each('method_declaration constructor_declaration local_function_statement destructor_declaration', {
      body: 'function',
    }),
    lambda_expression: { body: 'function' },
    anonymous_method_expression: { block: 'function' },
    ...each(
      'namespace_declaration class_declaration struct_declaration interface_declaration record_declaration enum_declaration',
      { body: 'class' },
    ),
    if_statement: { consequence: 'if', alternative: 'else' },
    ...each('for_statement foreach_statement while_statement do_statement', { body: 'loop' }),
    switch_statement: { body: 'switch' },
    try_statement: { body: 'try' },
    catch_clause: { body: 'catch' },
    finally_clause: { block: 'finally' },
  },
  braces: { initializer_expression: 'object', switch_expression: 'switch' },
}
