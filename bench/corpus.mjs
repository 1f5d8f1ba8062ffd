import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const ENDINGS = ['.jsonl', '.jsonl.gz']

/**
 * Reads the rows of a corpus by name. `path` is a folder with `NAME.jsonl` or `NAME.jsonl.gz`, or a file of such rows with any
 * name. The first row shows whether it is the right corpus. Without rows, `absent` is the reason.
 */
export function openCorpus(path, name, isWanted) {
  const wanted = `${name}.jsonl or ${name}.jsonl.gz`
  if (path === undefined) return { absent: `no corpus. Pass --corpus PATH, a folder with ${wanted}` }
  const folder = statSync(path).isDirectory()
  const file = folder ? ENDINGS.map((ending) => join(path, name + ending)).find((each) => existsSync(each)) : path
  if (file === undefined) return { absent: `the folder of --corpus has no ${wanted}` }
  const rows = readRows(file)
  if (rows.length === 0) return { absent: `${basename(file)} has no rows` }
  if (isWanted(rows[0])) return { rows }
  return { absent: `${basename(file)} is not a ${name} corpus` }
}

/** JSON lines, gzipped or not. */
function readRows(path) {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line)]
    } catch (error) {
      throw new Error(`line ${at + 1} of ${path} is not JSON: ${error.message}`)
    }
  })
}
