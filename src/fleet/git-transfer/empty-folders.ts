import { readdirSync } from 'node:fs'

/** Git has no folders, and a test may still want the one its output goes to. */
const MOST_LOOKED_AT = 20_000

/** Folders with nothing in them, among and below those that git does not know. Paths are strings of bytes. */
export function emptyFolders(top: string, untracked: readonly string[]): readonly string[] {
  const found: string[] = []
  const waiting = untracked.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))
  for (let looked = 0; waiting.length > 0 && looked < MOST_LOOKED_AT; looked++) {
    const folder = waiting.pop() ?? ''
    if (folder === '.exitgate') continue
    const inside = entriesOf(top, folder)
    if (inside === undefined) continue
    if (inside.length === 0) found.push(folder)
    // A repository of its own stays behind as a whole.
    if (inside.some(({ name }) => name === '.git')) continue
    for (const { name, isFolder } of inside) if (isFolder) waiting.push(`${folder}/${name}`)
  }
  return found.sort()
}

function entriesOf(top: string, folder: string) {
  try {
    const place = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(folder, 'latin1')])
    const entries = readdirSync(place, { encoding: 'buffer', withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name.toString('latin1'), isFolder: entry.isDirectory() }))
  } catch {
    return undefined
  }
}
