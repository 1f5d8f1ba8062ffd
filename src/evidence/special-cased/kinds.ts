const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

/** What the node types of all grammars mean. No type means different things in two of them, except where the fields differ. */
export const STRINGS = words(
  'string concatenated_string template_string interpreted_string_literal raw_string_literal string_literal rune_literal char_literal character_literal character encapsed_string simple_symbol text_block',
)
export const NUMBERS = words(
  'integer float number int_literal float_literal integer_literal decimal_integer_literal hex_integer_literal decimal_floating_point_literal',
)
export const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['none', 'null'],
  ['null', 'null'],
  ['null_literal', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
])
/** Their text says which. */
export const BOOLEANS = words('boolean boolean_literal')
/** Values with elements. Pairs inside them are entries of a map. */
export const LISTS = words(
  'list tuple set array array_expression tuple_expression array_initializer array_creation_expression dictionary object hash literal_value expression_list pattern_list list_pattern tuple_pattern string_array symbol_array',
)
export const PAIRS = words('pair keyed_element array_element_initializer')
/** Nodes that only contain a value. */
export const WRAPPERS = words(
  'parenthesized_expression parenthesized_statements literal_element reference_expression composite_literal argument keyword_argument case_pattern match_pattern as_expression satisfies_expression non_null_expression const_block expression_statement cast_expression slice_expression spread_element unary_plus',
)
export const NEGATIVES = words('unary_operator unary_expression unary unary_op_expression negative_literal')
export const CALLS = words(
  'call call_expression new_expression method_invocation object_creation_expression function_call_expression member_call_expression scoped_call_expression nullsafe_member_call_expression command_call method_call',
)
export const FUNCTIONS = words(
  'function_definition function_declaration method_definition method_declaration function_item method singleton_method generator_function_declaration constructor_declaration',
)
export const CLOSURES = words(
  'lambda arrow_function function_expression function generator_function func_literal closure_expression lambda_expression anonymous_function anonymous_function_creation_expression',
)
export const IFS = words(
  'if_statement elif_clause if_expression if elsif unless if_modifier unless_modifier else_if_clause conditional_expression ternary_expression conditional',
)
export const CASES = words(
  'case_clause switch_case expression_case match_arm switch_block_statement_group switch_rule when in_clause match_conditional_expression case_statement',
)
export const COMPARISONS = words('comparison_operator binary_expression binary boolean_operator')
export const BLOCKS = words(
  'block statement_block body_statement compound_statement then module program source_file do_block block_body statement_list switch_body switch_block match_block',
)
export const IDENTIFIERS = words(
  'identifier property_identifier shorthand_property_identifier field_identifier constant variable_name name instance_variable',
)
export const ASSIGNMENTS = words(
  'assignment assignment_expression variable_declarator short_var_declaration assignment_statement let_declaration var_spec const_spec augmented_assignment augmented_assignment_expression operator_assignment compound_assignment_expr const_item static_item',
)

export const AND = words('and && band')
export const OR = words('or ||')
export const EQUAL = words('== === eq eql? is')
export const CONTAINED = words('in')

/** Functions whose value is that of their argument, in another form. A literal in one is still a literal. */
export const CONVERSIONS =
  /^(?:tuple|list|set|frozenset|sorted|str|repr|int|float|bool|Decimal|Fraction|BigInt|Number|String|Set|Map|Array|from|of|asList|to_string|to_owned|into|to_vec|as_str|collect|iter|clone|Some|Ok|Box|new|valueOf|freeze|to_sym|to_s|to_set|array|dumps|stringify|json_encode|str_replace|unwrap|dict|OrderedDict|Counter|deque|date|datetime|timedelta|strip|rstrip|trim|ofEntries|entry|entries|fromEntries|singletonList|Optional|pytest\.param|param|complex|bytes|bytearray|range)$/
