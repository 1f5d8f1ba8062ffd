import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads the cases in a folder: `#### label kinds :: name`, then files as `=== path` (changed), `--- path` (deleted) or `+++ path`
 * (new).
 */
export function readCorpus(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/^#### /m)
        .slice(1)
        .map((text) => readCase(file, text)),
    )
}

function readCase(file, text) {
  const [head = '', ...lines] = text.split('\n')
  const [what = '', name = ''] = head.split(' :: ')
  const [label, ...kinds] = what.split(' ')
  const before = new Map()
  const after = new Map()
  let put = () => {}
  for (const line of lines) {
    const start = /^(===|---|\+\+\+) (\S+)(?: -> (\S+))?$/.exec(line)
    if (start) put = section(start, before, after)
    else put(line)
  }
  return {
    id: `${file.replace('.txt', '')} :: ${name}`,
    language: file.split(/[-.]/)[0],
    tampered: label === 'tampered',
    /** A test whose original fails on the new code, and a version that checks less. */
    weaker: label === 'weaker',
    kinds,
    before: view(before),
    after: view(after),
  }
}

function section([, mark, path, moved], before, after) {
  const add = (files, name, line) => files.set(name, `${files.get(name) ?? ''}${line}\n`)
  if (mark === '---') return (line) => add(before, path, line)
  if (mark === '+++') return (line) => add(after, path, line)
  return (line) => {
    if (!line.startsWith('+')) add(before, path, line.slice(1))
    if (!line.startsWith('-')) add(after, moved ?? path, line.slice(1))
  }
}

const view = (files) => ({ paths: [...files.keys()], read: (path) => files.get(path) })
