import { type ParseError, parse } from 'jsonc-parser'
import { type JsonObject, objectIn } from '../json-value.ts'

/** The object in a settings file, which may contain comments and trailing commas; an empty one if it can't be read. */
export function settingsIn(text: string): JsonObject {
  const errors: ParseError[] = []
  try {
    const settings: unknown = parse(text, errors, { allowTrailingComma: true })
    return errors.length === 0 ? objectIn(settings) : {}
  } catch {
    // Nested too deep for the parser.
    return {}
  }
}
