import type { Changes } from '../changes.ts'
import { short } from '../findings.ts'
import { flatten } from '../settings/flatten.ts'
import type { TamperFinding } from '../types.ts'

/** Packages that run or judge tests. */
export const RUNNER_PACKAGES =
  /^(?:vitest|@vitest\/[\w-]+|jest|@jest\/[\w-]+|jest-\w+|ts-jest|babel-jest|mocha|chai|ava|tap|tape|jasmine(?:-core)?|karma|@playwright\/test|playwright|cypress|expect|node:test|pytest(?:-[\w-]+)?|unittest2|nose2?|rspec(?:-[\w-]+)?|minitest|phpunit\/phpunit|pestphp\/pest|github\.com\/stretchr\/testify|@testing-library\/[\w-]+|typescript|eslint)$/

interface Locked {
  readonly version: string
  readonly from: string
  readonly integrity: string
  readonly line: number
}

/** A test runner in the lock file with the same version but other contents, or from outside a registry. */
export function lockFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap(({ path, before, after }) => {
    const read = /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/.test(path)
      ? fromNpm
      : /(?:^|\/)yarn\.lock$/.test(path)
        ? fromYarn
        : /(?:^|\/)pnpm-lock\.yaml$/.test(path)
          ? fromPnpm
          : undefined
    if (!read || before === undefined || after === undefined) return []
    const was = read(path, before)
    return [...read(path, after)].flatMap(([name, now]): TamperFinding[] => {
      const old = was.get(name)
      if (!old || !RUNNER_PACKAGES.test(name)) return []
      const sameVersion = old.version === now.version
      const swapped = sameVersion && old.integrity !== '' && now.integrity !== old.integrity
      const local = /^(?:file:|link:|git|\.{0,2}\/)/.test(now.from) && !/^(?:file:|link:|git|\.{0,2}\/)/.test(old.from)
      if (!swapped && !local) return []
      return [
        {
          kind: 'runner-replaced',
          severity: 'block',
          file: path,
          line: now.line,
          before: short(`${name} ${old.version} ${old.from} ${old.integrity}`),
          after: short(`${name} ${now.version} ${now.from} ${now.integrity}`),
          detail: local
            ? `The lock file takes ${name} from another place.`
            : `The lock file has other contents for the same version of ${name}.`,
        },
      ]
    })
  })
}

function fromNpm(path: string, text: string): Map<string, Locked> {
  const found = new Map<string, { version: string; from: string; integrity: string; line: number }>()
  for (const { key, value, line } of flatten(path, text)) {
    const match =
      /^(?:packages\.(?:.*\/)?node_modules\/|dependencies\.)((?:@[^./]+\/)?[^./]+(?:\.[^./]+)*?)\.(version|resolved|integrity|link)$/.exec(
        key,
      )
    if (!match) continue
    const entry = found.get(match[1]!) ?? { version: '', from: '', integrity: '', line }
    found.set(match[1]!, entry)
    if (match[2] === 'version') entry.version = value
    else if (match[2] === 'integrity') entry.integrity = value
    else if (match[2] === 'resolved') entry.from = value
    else entry.from = `link:${entry.from}`
  }
  return found
}

function fromYarn(_path: string, text: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  for (const match of text.matchAll(/^"?((?:@[^/@\s]+\/)?[^@\s"]+)@[^\n]*:\n((?: {2}.*\n?)*)/gm)) {
    const body = match[2]!
    const field = (name: string) => new RegExp(`^ {2}${name}:? "?([^"\\n]*)"?`, 'm').exec(body)?.[1] ?? ''
    found.set(match[1]!, {
      version: field('version'),
      from: field('resolved') || field('resolution'),
      integrity: field('integrity') || field('checksum'),
      line: text.slice(0, match.index).split('\n').length,
    })
  }
  return found
}

function fromPnpm(_path: string, text: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  for (const match of text.matchAll(
    /^ {2}['"]?\/?((?:@[^/@\s]+\/)?[^@\s'"/]+)[@/]([^\s:'"(]+)[^\n]*:\n {4}resolution: \{([^}\n]*)\}/gm,
  )) {
    const integrity = /integrity: ([^,}\s]+)/.exec(match[3]!)?.[1] ?? ''
    const from = /(?:tarball|directory): ([^,}]+)/.exec(match[3]!)?.[1] ?? ''
    found.set(match[1]!, {
      version: match[2]!,
      from: /directory:/.test(match[3]!) ? `file:${from}` : from,
      integrity,
      line: text.slice(0, match.index).split('\n').length,
    })
  }
  return found
}
