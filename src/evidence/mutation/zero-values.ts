import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'

/**
 * The simplest value of a declared result: empty for a function without one, undefined if there is none that surely fits.
 */
export function zeroOf(language: Language, result: string | undefined): string | undefined {
  switch (language) {
    case 'javascript':
      return 'undefined'
    case 'python':
      return 'None'
    case 'ruby':
      return 'nil'
    case 'php':
      return result === undefined ? 'null' : phpZero(result)
    case 'go':
      return result === undefined ? '' : goZero(result)
    case 'rust':
      return result === undefined ? '' : rustZero(result)
    case 'java':
      return result === undefined ? undefined : javaZero(result)
    default:
      return undefined
  }
}

function phpZero(type: string): string | undefined {
  if (type.startsWith('?') || /\bnull\b|^mixed$/i.test(type)) return 'null'
  const zeros: Record<string, string> = { int: '0', float: '0.0', string: "''", bool: 'false', array: '[]', void: '' }
  return zeros[type.toLowerCase()]
}

/** `new` gives a zero value of any type, so only the types have to be read. */
function goZero(result: string): string | undefined {
  if (!result.startsWith('(')) return `*new(${result})`
  const parts = splitTop(result.slice(1, -1))
  if (parts.length === 0) return ''
  const named = parts.some((part) => /^\w+\s+\S/.test(part) && !/^(?:chan|func|map|struct|interface)\b/.test(part))
  if (!named) return parts.map((part) => `*new(${part})`).join(', ')
  // `(a, b int, err error)`: a name without a type has that of the next one.
  let type: string | undefined
  const types = parts.reverse().map((part) => {
    type = /^\w+\s+(.+)$/s.exec(part)?.[1] ?? type
    return type
  })
  return types.includes(undefined)
    ? undefined
    : types
        .reverse()
        .map((each) => `*new(${each})`)
        .join(', ')
}

function rustZero(type: string): string | undefined {
  if (type === '()') return ''
  if (/^(?:[iu](?:8|16|32|64|128|size))$/.test(type)) return '0'
  if (/^f(?:32|64)$/.test(type)) return '0.0'
  if (type === 'bool') return 'false'
  if (type === 'String') return 'String::new()'
  if (/^&(?:'static )?str$/.test(type)) return '""'
  if (/^Option</.test(type)) return 'None'
  if (/^Vec</.test(type)) return 'Vec::new()'
  const inner = /^(?:\w+::)*Result<(.+)>$/s.exec(type)?.[1]
  if (inner === undefined) return undefined
  const zero = rustZero(splitTop(inner)[0] ?? '')
  return zero === undefined ? undefined : `Ok(${zero === '' ? '()' : zero})`
}

function javaZero(type: string): string {
  if (type === 'void') return ''
  if (/^(?:int|long|short|byte|char|float|double)$/.test(type)) return '0'
  return type === 'boolean' ? 'false' : 'null'
}

/** The parts between commas that are in no brackets. */
function splitTop(text: string): string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (const [at, letter] of [...text].entries()) {
    if ('([{<'.includes(letter)) depth += 1
    else if (')]}>'.includes(letter)) depth -= 1
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter((part) => part !== '')
}
