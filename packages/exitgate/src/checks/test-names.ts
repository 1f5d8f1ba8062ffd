import type { TestCase } from '../../../test-output/src/types.ts'

/** Splits a name into lower-case words, so that camelCase, snake_case, dashes, dots and spaces compare equal. */
export function wordsOf(text: string): string[] {
  const split = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
  return split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A text as one line of words, so that a phrase can be found as a whole: ` fix the user service `. */
export const lineOf = (text: string): string => ` ${wordsOf(text).join(' ')} `

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** `a/b.test.js`: `b.test` */
export const withoutEnding = (path: string): string => nameOf(path).replace(/\.[^.]+$/, '')
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

const TEST_WORDS = new Set('test tests spec specs it e2e unit integration suite cy cest feature'.split(' '))

/** The words of a file's name that describe what it tests: `user-service.test.ts` is about the user service. */
export function stemOf(path: string): string[] {
  const words = wordsOf(nameOf(path).replace(/^(.+?)\.[^.]+$/, '$1'))
  const from = words.findIndex((word) => !TEST_WORDS.has(word))
  if (from < 0) return []
  const to = words.findLastIndex((word) => !TEST_WORDS.has(word))
  return words.slice(from, to + 1)
}

/** The parts of a test's name, groups first, without the path of its file, parameters and brackets. */
export function partsOf(name: string): string[] {
  // Ruby and Maven write a class and its method with a number sign.
  const parts = name.split(/\s+[>›»]\s+|::|(?<=^[\w:]+)#(?=\w+$)/).map((part) => part.trim())
  const named = parts.filter((part, i) => i === parts.length - 1 || !/\.[A-Za-z]\w{0,4}$/.test(part))
  return named.map((part) => part.replace(/(?<=\S)\[[^\]]*\]$|\(\)$/, '').trim()).filter((part) => part !== '')
}

export const titleOf = (name: string): string => partsOf(name).at(-1) ?? name

/** Whether an entry of the user's configuration names a test: by its full name, with or without its file and parameters. */
export function isNamed(entry: string, test: Pick<TestCase, 'name' | 'file'>, file?: string): boolean {
  const parts = partsOf(test.name)
  const names = [test.name, test.name.replace(/\[[^\]]*\]$/, ''), parts.join(' > '), parts.join(' ')]
  const files = [file, test.file].filter((path) => path !== undefined)
  const withFile = files.flatMap((path) => names.flatMap((name) => [`${path} > ${name}`, `${path}::${name}`]))
  return [...names, ...withFile].includes(entry.trim())
}
