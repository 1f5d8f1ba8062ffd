import * as v from 'valibot'

// Every message is the phrase that follows "it must be": one place says what is allowed, for people and for editors.

export const number = (allowed: string, about: string, least: number) =>
  v.pipe(v.number(allowed), v.finite(allowed), v.minValue(least, allowed), v.description(about))
export const whole = (allowed: string, about: string, least: number) =>
  v.pipe(v.number(allowed), v.integer(allowed), v.minValue(least, allowed), v.description(about))
export const share = (allowed: string, about: string, most: number) =>
  v.pipe(v.number(allowed), v.integer(allowed), v.minValue(0, allowed), v.maxValue(most, allowed), v.description(about))

export const FROM_0 = 'a whole number from 0'
const FROM_1 = 'a whole number from 1'
const NONE = ', or null for none'
export const above0 = (allowed: string, about: string) =>
  v.pipe(v.number(allowed), v.finite(allowed), v.gtValue(0, allowed), v.description(about))

/** A score or a number of things: zero is a sensible bar. */
export const threshold = (about: string) => whole(FROM_0, about, 0)
/** "So many in a row": zero in a row would be true before anything happened. */
export const times = (about: string) => whole(FROM_1, about, 1)
export const percent = (about: string, most = 100) => share(`a whole number from 0 to ${most}`, about, most)
export const flag = (about: string) => v.pipe(v.boolean('true or false'), v.description(about))
export const text = (about: string) =>
  v.pipe(v.string('a text'), v.nonEmpty('a text that is not empty'), v.description(about))
export const texts = (about: string) =>
  v.pipe(
    v.array(v.pipe(v.string('a text'), v.nonEmpty('a text that is not empty')), 'a list of texts'),
    v.description(about),
  )
export const choice = <const T extends readonly string[]>(options: T, about: string) =>
  v.pipe(v.picklist(options, `one of ${options.join(', ')}`), v.description(about))
export const entries = <const T extends v.ObjectEntries>(about: string, each: T) =>
  v.pipe(v.array(v.strictObject(each), 'a list of sections'), v.description(about))
export const section = <const T extends v.ObjectEntries>(about: string, entries: T) =>
  v.pipe(v.partial(v.strictObject(entries)), v.description(about))

/** A section with some keys that are known and others that the user names. */
export const openSection = <const T extends v.ObjectEntries>(about: string, other: v.GenericSchema, entries: T) =>
  v.pipe(v.objectWithRest(v.partial(v.object(entries)).entries, other), v.description(about))

/** Values that may be absent: null takes away what a preset or the defaults set. */
export const timesOrNone = (about: string) => v.nullable(whole(FROM_1 + NONE, about, 1))
export const above0OrNone = (about: string) => v.nullable(above0(`a number greater than 0${NONE}`, about))
export const percentOrNone = (about: string) => v.nullable(share(`a whole number from 0 to 100${NONE}`, about, 100))
export const textOrNone = (about: string) =>
  v.nullable(v.pipe(v.string(`a text${NONE}`), v.nonEmpty(`a text that is not empty${NONE}`), v.description(about)))
