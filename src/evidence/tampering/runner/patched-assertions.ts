import type { Language } from '../../test-files.ts'
import { addedLines } from '../added.ts'
import type { Changes } from '../changes.ts'
import { short } from '../findings.ts'
import type { TamperFinding } from '../types.ts'

const JAVASCRIPT = String.raw`['"](?:(?:node:)?assert(?:/strict)?|node:test|chai|expect|vitest|@jest/globals|uvu/assert|tap|ava|should)['"]`

/** Finds the names under which a source file imports an assertion library. */
const IMPORTS: Readonly<Partial<Record<Language, readonly RegExp[]>>> = {
  javascript: [
    new RegExp(String.raw`\bimport\s+(?:\*\s*as\s+)?([\w$]+)[^;'"]*?\bfrom\s*${JAVASCRIPT}`, 'g'),
    new RegExp(String.raw`\bimport\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*${JAVASCRIPT}`, 'g'),
    new RegExp(
      String.raw`(?:\b(?:const|let|var)|,)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:\(?await\s+import|require)\s*\(\s*${JAVASCRIPT}`,
      'g',
    ),
  ],
  python: [
    /^[ \t]*import[ \t]+(?:unittest|pytest)[\w.]*[ \t]+as[ \t]+(\w+)/gm,
    /^[ \t]*import[ \t]+(unittest|pytest)\b/gm,
    /^[ \t]*from[ \t]+(?:unittest|pytest)[\w.]*[ \t]+import[ \t]+([^\n]+)/gm,
  ],
}

/** Most files contain none of these and can be skipped. */
const HINT = /\b(?:assert|node:test|chai|expect|vitest|globals|tap|ava|should|unittest|pytest)\b/

/** Source code, not a test, that changes the assertion library itself, so that every test passes. */
export function patchedAssertionFindings(changes: Changes): TamperFinding[] {
  return changes.sources.flatMap((change): TamperFinding[] => {
    if (change.language === undefined || change.after === undefined || !HINT.test(change.after)) return []
    const names = namesIn(change.after, change.language)
    if (names.length === 0) return []
    const one = `(?:${names.map((name) => name.replaceAll('$', String.raw`\$`)).join('|')})`
    const replaced = new RegExp(
      String.raw`(?<!\. )\b${one} (?:\. \w+ |\[ [^\]]* \] )+=(?![=>])|\b(?:assign|definePropert(?:y|ies)|set|method|setattr|object) \( ${one}\b`,
    )
    return addedLines(change).flatMap(({ text, line }) =>
      replaced.test(text)
        ? [
            {
              kind: 'runner-patched' as const,
              severity: 'block' as const,
              file: change.path,
              line,
              after: short(text),
              detail: 'In the source: a function that tests rely on is replaced.',
            },
          ]
        : [],
    )
  })
}

/** `{ strict as assert, ok }` and `TestCase as T, mock` name what stands behind their `as`. */
function namesIn(text: string, language: Language): string[] {
  const found = (IMPORTS[language] ?? []).flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.flatMap((group) => group?.split(',') ?? [])),
  )
  return [...new Set(found.flatMap((each) => /([\w$]+)\W*$/.exec(each)?.[1] ?? []))]
}
