import * as v from 'valibot'

// Every message is the phrase after "must be". It serves people and the JSON schema alike.

export const number = (allowed: string, about: string, least: number) =>
  v.pipe(v.number(allowed), v.finite(allowed), v.minValue(least, allowed), v.description(about))
export const whole = (allowed: string, about: string, least: number) =>
  v.pipe(v.number(allowed), v.integer(allowed), v.minValue(least, allowed), v.description(about))
export const share = (allowed: string, about: string, most: number) =>
  v.pipe(v.number(allowed), v.integer(allowed), v.minValue(0, allowed), v.maxValue(most, allowed), v.description(about))

export const FROM_0 = 'a whole number of at least 0'
const FROM_1 = 'a whole number of at least 1'
const OR_NULL = 'null or '
export const above0 = (allowed: string, about: string) =>
  v.pipe(v.number(allowed), v.finite(allowed), v.gtValue(0, allowed), v.description(about))

/** A score or a count, where 0 makes sense. */
export const threshold = (about: string) => whole(FROM_0, about, 0)
/** A number of iterations in a row. 0 would be reached before anything happened. */
export const times = (about: string) => whole(FROM_1, about, 1)
export const percent = (about: string, most = 100) => share(`a whole number from 0 to ${most}`, about, most)
export const flag = (about: string) => v.pipe(v.boolean('true or false'), v.description(about))
export const text = (about: string) =>
  v.pipe(v.string('a string'), v.nonEmpty('a non-empty string'), v.description(about))
export const texts = (about: string) =>
  v.pipe(
    v.array(v.pipe(v.string('a string'), v.nonEmpty('a non-empty string')), 'a list of strings'),
    v.description(about),
  )
export const choice = <const T extends readonly string[]>(options: T, about: string) =>
  v.pipe(v.picklist(options, `one of ${options.join(', ')}`), v.description(about))
export const choices = <const T extends readonly string[]>(options: T, about: string) =>
  v.pipe(
    v.array(v.picklist(options, `one of ${options.join(', ')}`), `a list of ${options.join(', ')}`),
    v.description(about),
  )
export const entries = <const T extends v.ObjectEntries>(about: string, each: T) =>
  v.pipe(
    v.array(v.strictObject(each, `an object with the keys ${Object.keys(each).join(', ')}`), 'a list of objects'),
    v.description(about),
  )
/** The same for a list that also takes names alone. */
export const namesOr = <const T extends v.ObjectEntries>(what: string, about: string, each: T) => {
  const allowed = `a ${what} or an object with the keys ${Object.keys(each).join(', ')}`
  const item = v.union([v.pipe(v.string(), v.nonEmpty()), v.strictObject(each)], allowed)
  return v.pipe(v.array(item, `a list of ${what}s or objects`), v.description(about))
}
export const section = <const T extends v.ObjectEntries>(about: string, entries: T) =>
  v.pipe(v.partial(v.strictObject(entries)), v.description(about))

/** An object with known keys that also accepts keys the user chooses. */
export const openSection = <const T extends v.ObjectEntries>(about: string, other: v.GenericSchema, entries: T) =>
  v.pipe(v.objectWithRest(v.partial(v.object(entries)).entries, other), v.description(about))

/** Nullable values: null removes the value of a preset or default. */
export const timesOrNone = (about: string) => v.nullable(whole(OR_NULL + FROM_1, about, 1))
export const above0OrNone = (about: string) => v.nullable(above0(`${OR_NULL}a number greater than 0`, about))
export const percentOrNone = (about: string) => v.nullable(share(`${OR_NULL}a whole number from 0 to 100`, about, 100))
export const textOrNone = (about: string) =>
  v.nullable(v.pipe(v.string(`${OR_NULL}a string`), v.nonEmpty(`${OR_NULL}a non-empty string`), v.description(about)))

/** Prices by model. */
export function modelPrices(about: string) {
  const dollars = (what: string) => number('a number of at least 0', what, 0)
  const price = v.strictObject({
    input: dollars('Input.'),
    output: dollars('Output.'),
    cachedInput: v.optional(dollars('Price of cached input. Without it, cached input costs as much as other input.')),
  })
  const model = v.pipe(
    v.string(),
    // JSON Schema has no flags for patterns, so this lists what is not allowed.
    v.regex(
      /^[^\s.:/+*?"'\\{}[\]()<>|-][^\n\r*?"'\\{}[\]()<>|]*$/,
      'Use the name of a model, without quotes, brackets, * and ?',
    ),
  )
  return v.pipe(v.record(model, price, 'an object with one entry per model'), v.description(about))
}
