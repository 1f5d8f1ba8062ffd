import type { Language } from '../../test-files.ts'
import { readUnit, type Unit } from './unit.ts'

/** A way to the unit of a text. The same text always gives equal tokens, so that ranges in it stay true. */
export type Shelf = (text: string, language: Language) => () => Unit

/** One large file, or a few usual ones: what is kept for long is what the collector of garbage leaves standing. */
const MOST_TOKENS = 8_000

/**
 * Tokens take fifty times the room of their text. Of the files of a large change only those read last are kept as tokens; any
 * other is read again when it is asked for, which costs less than to keep it.
 */
export function unitShelf(most: number = MOST_TOKENS): Shelf {
  const kept: { unit: Unit | undefined }[] = []
  let tokens = 0
  return (text, language) => {
    const place: { unit: Unit | undefined } = { unit: undefined }
    return () => {
      if (place.unit !== undefined) return place.unit
      const unit = readUnit(text, language)
      while (kept.length > 0 && tokens + unit.tokens.length > most) {
        const oldest = kept.shift()!
        tokens -= oldest.unit!.tokens.length
        oldest.unit = undefined
      }
      place.unit = unit
      kept.push(place)
      tokens += unit.tokens.length
      return unit
    }
  }
}
