import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approvableIn } from '../../hooks/trust.ts'
import { approve } from '../../hooks/trust-file.ts'
import { stateDirFor } from '../../journal/place.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import type { Io } from '../io.ts'

/** A small project of which one test fails, approved, with a state folder of its own. */
export interface FailingProject {
  readonly dir: string
  /** What a program must have in its environment to find that state folder. */
  readonly env: Readonly<Record<string, string>>
  /** Now all tests pass. */
  mend(): void
  remove(): void
}

const TESTS = `const { test } = require('node:test')
const assert = require('node:assert')
const { add } = require('./add.cjs')
test('adds', () => assert.strictEqual(add(2, 2), 4))
test('adds nothing', () => assert.strictEqual(add(2, 0), 2))
`

export async function openFailingProject(io: Io): Promise<FailingProject> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'exitgate-doctor-')))
  const remove = (): void => removeFolderSync(root)
  // Whoever is interrupted in the middle leaves nothing behind either.
  process.once('exit', remove)
  const dir = join(root, 'project')
  const state = join(root, 'state')
  const source = (sign: string) => writeFileSync(join(dir, 'add.cjs'), `exports.add = (a, b) => a ${sign} b\n`)
  try {
    mkdirSync(dir)
    source('-')
    writeFileSync(join(dir, 'add.test.cjs'), TESTS)
    const config = { commands: { test: `"${process.execPath}" --test` } }
    writeFileSync(join(dir, 'exitgate.config.json'), `${JSON.stringify(config)}\n`)
    const env = { EXITGATE_STATE_DIR: state }
    const place = stateDirFor(dir, { env, home: io.home, platform: io.platform })
    approve(place.dir, await approvableIn(dir, io.platform), io.now())
    return {
      dir,
      env,
      mend: () => source('+'),
      remove() {
        process.off('exit', remove)
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
