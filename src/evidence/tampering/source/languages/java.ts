import { each, type LanguageSyntax, words } from './language.ts'

export const java: LanguageSyntax = {
  grammars: ['java'],
  strings: words('string_literal character_literal'),
  comments: words('line_comment block_comment'),
  annotations: words('annotation marker_annotation'),
  blocks: {
    ...each('method_declaration constructor_declaration compact_constructor_declaration', { body: 'function' }),
    ...each('class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration', {
      body: 'class',
    }),
    lambda_expression: { body: 'lambda' },
    if_statement: { consequence: 'if', alternative: 'else' },
    ...each('for_statement enhanced_for_statement while_statement do_statement', { body: 'loop' }),
    switch_expression: { body: 'switch' },
    ...each('try_statement try_with_resources_statement', { body: 'try' }),
    catch_clause: { body: 'catch' },
    finally_clause: { block: 'finally' },
  },
  braces: { array_initializer: 'object', element_value_array_initializer: 'object' },
}
