import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import type { TamperFinding } from '../types.ts'

const WORDS = /^(?:expect|it|test|describe|assert)$/
const RUNNERS =
  /(?:from\s*|require\(\s*|import\s*)['"](?:vitest|@jest\/globals|@playwright\/test|chai|node:test|node:assert[\w/]*|assert[\w/]*|bun:test|expect|mocha|ava|tap|jest|cypress|@std\/\w+|should|uvu[\w/]*|power-assert|@testing-library\/[\w-]+|jsr:[^'"]+|https?:[^'"]+)/
const IMPORTS =
  /import\s+(?:type\s+)?(\w+)?\s*,?\s*(?:\{([^}]*)\})?\s*from\s*['"]([^'"]+)['"]|(?:const|let|var)\s+(?:\{([^}]*)\}|(\w+))\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)/g

/** `expect`, `test` and the like, imported from a file of the project that does not take them from a test runner. */
export function importFindings(changes: Changes): TamperFinding[] {
  return changes.tests.flatMap((change): TamperFinding[] => {
    if (change.language !== 'javascript' || change.after === undefined || change.before === undefined) return []
    const had = new Set(borrowed(change.before).map(({ word, from }) => `${word} ${from}`))
    return borrowed(change.after).flatMap(({ word, from, line }): TamperFinding[] => {
      if (had.has(`${word} ${from}`)) return []
      const text = resolved(change, from, changes)
      if (text === undefined || RUNNERS.test(text)) return []
      return [
        {
          kind: 'runner-patched',
          severity: 'block',
          file: change.path,
          line,
          after: short(`${word} from ${from}`),
          detail: `"${word}" does not come from the runner any more but from ${from}.`,
        },
      ]
    })
  })
}

/** Words of the runner that are imported by a relative path. */
function borrowed(text: string): { word: string; from: string; line: number }[] {
  return [...text.matchAll(IMPORTS)].flatMap((match) => {
    const from = match[3] ?? match[6] ?? ''
    if (!from.startsWith('.')) return []
    const names = [match[1], match[5], ...(match[2] ?? match[4] ?? '').split(',')]
    const words = names
      .map((name) => (name ?? '').trim().replace(/^.*\s(?:as\s)?|^\w+\s*:\s*/, ''))
      .filter((name) => WORDS.test(name))
    const line = text.slice(0, match.index).split('\n').length
    return words.map((word) => ({ word, from, line }))
  })
}

function resolved({ path }: Change, from: string, { after }: Changes): string | undefined {
  const parts = path.split('/').slice(0, -1)
  for (const part of from.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  const base = parts.join('/').replace(/\.[cm]?[jt]sx?$/, '')
  const endings = ['', '.ts', '.tsx', '.js', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '/index.ts', '/index.js']
  const found = endings.map((ending) => base + ending).find((candidate) => after.paths.includes(candidate))
  return found === undefined ? undefined : after.read(found)
}
