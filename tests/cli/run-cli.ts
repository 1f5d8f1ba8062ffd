import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { main } from '../../src/cli/main.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The document that --json prints. */
  readonly json: Record<string, unknown>
}

/** A new workspace with its own state folder, removed after the test. `run` calls the real program in this process. */
export function project(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-cli-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dir = join(root, 'work')
  mkdirSync(dir)
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(dir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  let now = Date.UTC(2026, 0, 2, 3, 4, 5)
  return {
    root,
    dir,
    write,
    state: join(root, 'state'),
    pass(ms: number): void {
      now += ms
    },
    async run(args: readonly string[], env: Readonly<Record<string, string>> = {}, pid?: number): Promise<Ran> {
      let stdout = ''
      let stderr = ''
      now += 1000
      const code = await main(args, {
        stdout: { write: (text: string) => (stdout += text) },
        stderr: { write: (text: string) => (stderr += text) },
        env: { EXITGATE_STATE_DIR: join(root, 'state'), ...env },
        cwd: dir,
        home: root,
        platform: 'linux',
        now: () => now,
        ...(pid !== undefined && { pid }),
      })
      return {
        code,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout) as Record<string, unknown>
        },
      }
    },
  }
}

export const DONE = 'Everything is built.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'
export const GREEN = JSON.stringify({
  tests: { answer: 'yes', counts: { total: 4, passed: 4, failed: 0 } },
  proven: { answer: 'yes' },
})
export const RED = JSON.stringify({ tests: { answer: 'no', counts: { total: 4, passed: 1, failed: 3 } } })
