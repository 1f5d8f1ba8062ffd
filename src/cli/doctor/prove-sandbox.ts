import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count } from '../../../packages/core/src/count.ts'
import type { Config } from '../../core/config.ts'
import { sandboxFor } from '../../loop/sandbox.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { runCommand } from '../../system/run-command.ts'

const WITHOUT = 'Without a sandbox the agent can reach your files and processes: see docs/security.md.'

/** Whether runs here are in a sandbox. Unless it is only to look, it tries to get out of it. */
export async function proveSandbox(config: Config, quick: boolean, signal: AbortSignal): Promise<Looked> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-doctor-')))
  const [project, state, outside] = [
    join(place, 'project'),
    join(place, 'state/project'),
    join(place, 'outside'),
  ] as const
  try {
    for (const folder of [project, state, outside]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(state, 'journal'), 'journal')
    writeFileSync(join(outside, 'file'), 'untouched')
    const { setup, shown = 'off' } = sandboxFor(config, { workspace: project, stateDir: state })
    if (setup === undefined) return { name: 'sandbox', state: 'note', text: shown, remedy: WITHOUT }
    if (quick) return { name: 'sandbox', state: 'good', text: shown }
    const attempts = {
      'read the journal': `cat '${state}/journal'`,
      'write outside the project': `echo changed > '${outside}/file'`,
      'change the system': 'touch /usr/.exitgate-doctor',
      'see other processes': `test -e /proc/${process.pid}/cmdline`,
      'signal exitgate': `kill -0 ${process.pid}`,
      'leave a process': `(setsid sh -c 'sleep 0.2; echo late > late' > /dev/null 2>&1 &); false`,
    }
    const escaped: string[] = []
    for (const [what, command] of Object.entries(attempts)) {
      const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' }
      const sandbox = { setup, needs: { network: false } }
      const { code } = await runCommand(project, command, { deadlineMs: 10_000, env, signal, sandbox })
      if (code === 0) escaped.push(what)
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (existsSync(join(project, 'late'))) escaped.push('leave a process')
    if (readFileSync(join(outside, 'file'), 'utf8') !== 'untouched') escaped.push('write outside the project')
    if (escaped.length === 0)
      return {
        name: 'sandbox',
        state: 'good',
        text: `${shown}: ${count(Object.keys(attempts).length, 'escape')} tried, none worked`,
      }
    const text = `${shown} does not hold: a command could ${[...new Set(escaped)].join(', ')}`
    return { name: 'sandbox', state: 'bad', text, remedy: 'Update it, or use --sandbox docker.' }
  } catch (error) {
    return { name: 'sandbox', state: 'bad', text: (error as Error).message }
  } finally {
    removeFolderSync(place)
  }
}
