import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const ENDINGS = ['.jsonl', '.jsonl.gz']

/**
 * The rows of a corpus by its name: `path` is a folder in which `NAME.jsonl` or `NAME.jsonl.gz` lies, or a file of such rows. A file may bear
 * any name; whether its rows are the wanted ones is seen at the first of them. Without rows, `absent` says why in one sentence.
 */
export function openCorpus(path, name, isWanted) {
  const wanted = `${name}.jsonl, or the same with .gz`
  if (path === undefined) return { absent: `no corpus was given; --corpus PATH names a folder with ${wanted}` }
  const folder = statSync(path).isDirectory()
  const file = folder ? ENDINGS.map((ending) => join(path, name + ending)).find((each) => existsSync(each)) : path
  if (file === undefined) return { absent: `the folder of --corpus has no ${wanted}` }
  const rows = readRows(file)
  if (rows.length === 0) return { absent: `${basename(file)} has no rows` }
  if (isWanted(rows[0])) return { rows }
  return { absent: `${basename(file)} holds other rows than those of ${name}` }
}

/** JSON lines, packed or not. */
function readRows(path) {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line)]
    } catch (error) {
      throw new Error(`line ${at + 1} of ${path} is no JSON: ${error.message}`)
    }
  })
}
