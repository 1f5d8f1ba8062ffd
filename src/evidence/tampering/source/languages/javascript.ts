import { each, type LanguageSyntax, words } from './language.ts'

/** JavaScript, TypeScript and JSX. The JSX grammar reads everything except type assertions in angle brackets. */
export const javascript: LanguageSyntax = {
  grammars: ['tsx', 'typescript'],
  strings: words('string template_string jsx_text html_character_reference'),
  regexes: words('regex'),
  comments: words('comment html_comment hash_bang_line'),
  nameOf: (text) =>
    text.replace(/\\u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/gi, (written, long, code) => {
      const point = Number.parseInt(long ?? code, 16)
      return point > 0x10ffff ? written : String.fromCodePoint(point)
    }),
  annotations: words('decorator'),
  blocks: {
    ...each(
      'function_declaration function_expression generator_function generator_function_declaration arrow_function method_definition',
      { body: 'function' },
    ),
    ...each(
      'class_declaration class abstract_class_declaration interface_declaration enum_declaration internal_module module',
      { body: 'class' },
    ),
    if_statement: { consequence: 'if' },
    else_clause: { '*': 'else' },
    ...each('for_statement for_in_statement while_statement do_statement', { body: 'loop' }),
    switch_statement: { body: 'switch' },
    try_statement: { body: 'try' },
    catch_clause: { body: 'catch' },
    finally_clause: { body: 'finally' },
  },
  braces: { object: 'object', object_pattern: 'object', object_type: 'object', named_imports: 'object' },
}
