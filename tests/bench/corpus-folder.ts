import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A temporary folder of corpora with these rows; a name that ends in `.gz` is compressed. */
export async function withCorpora<T>(
  files: Readonly<Record<string, readonly object[]>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-corpus-'))
  try {
    for (const [name, rows] of Object.entries(files)) {
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
