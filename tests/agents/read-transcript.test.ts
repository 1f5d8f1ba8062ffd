import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { InputError } from '../../src/cli/errors.ts'
import { readTranscript } from '../../src/cli/observe.ts'
import { read } from './events.ts'

const folder = mkdtempSync(join(tmpdir(), 'exitgate-transcript-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('a file', () => {
  it.each([
    ['empty', ''],
    ['short', 'All done.\n'],
    ['longer than one chunk', `${'the parser keeps the number\n'.repeat(100_000)}All done.\n`],
    ['of events', `${JSON.stringify({ type: 'result', subtype: 'success', result: 'All done.' })}\n`],
  ])('%s gives the same transcript as its bytes', async (name, content) => {
    expect(await readTranscript({ path: file(name, content) }, 'auto')).toEqual(read(content))
  })

  const rows: [name: string, path: () => string, format: string, message: RegExp][] = [
    ['that does not exist', () => join(folder, 'nowhere.txt'), 'auto', /^--transcript \S*nowhere\.txt does not exist/],
    ['that is a folder', () => folder, 'auto', /is a folder\. Pass a file\.$/],
    ['below a file', () => join(file('plain', 'x'), 'deeper'), 'auto', /does not exist/],
    [
      'in an unknown format',
      () => file('other', 'x'),
      'cladue',
      /--format must be one of .*, not "cladue"\. Did you mean "claude"\?/,
    ],
  ]
  it.each(rows)('%s gives a one-line error', async (_, path, format, message) => {
    const error = await readTranscript({ path: path() }, format).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(InputError)
    expect(error).toMatchObject({ exitCode: 64, message: expect.stringMatching(message) })
    expect((error as InputError).message).not.toContain('\n')
  })

  it('without read permission gives a one-line error', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root reads everything, whatever its permissions')
    const path = file('secret', 'x')
    chmodSync(path, 0o000)
    await expect(readTranscript({ path }, 'auto')).rejects.toThrow(/may not be read; check its permissions/)
  })
})
