import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endOf, KIT, runHostile } from './hostile-run.ts'
import { program } from './program.ts'
import { runProject } from './run-project.ts'

const JOURNAL = "join(STATE, 'journal.jsonl')"
const COPY = `fs.copyFileSync(${JOURNAL}, join(STATE, 'copy'))`

/** The agent finished its work and claimed. But exitgate can't trust records that were changed, or decide without recording it. */
const TOUCHED: readonly (readonly [name: string, agent: string, said: RegExp])[] = [
  ['appends to the journal', `fs.appendFileSync(${JOURNAL}, '{}\\n')`, /was changed by another process/],
  ['truncates it', `fs.truncateSync(${JOURNAL}, 10)`, /was changed by another process/],
  [
    'changes a byte of it',
    `const fd = fs.openSync(${JOURNAL}, 'r+'); fs.writeSync(fd, 'X', 100)`,
    /was changed by another process/,
  ],
  ['deletes it', `fs.rmSync(${JOURNAL})`, /was removed or replaced by another process/],
  ['replaces it with a copy', `${COPY}; fs.renameSync(join(STATE, 'copy'), ${JOURNAL})`, /was removed or replaced/],
  [
    'replaces it with a link',
    `fs.renameSync(${JOURNAL}, join(ROOT, 'mine')); fs.symlinkSync(join(ROOT, 'mine'), ${JOURNAL})`,
    /was removed or replaced by another process/,
  ],
  ['removes the lock', "fs.rmSync(join(STATE, 'lock'))", /is no longer locked by this process/],
  ['moves the state folder', "fs.renameSync(STATE, STATE + '-away')", /is no longer locked by this process/],
  ['deletes the state folder', 'fs.rmSync(STATE, { recursive: true })', /is no longer locked by this process/],
  [
    'deletes the baseline',
    "for (const name of fs.readdirSync(STATE)) if (name.startsWith('baseline')) fs.rmSync(join(STATE, name), { recursive: true })",
    /The baseline in .* is gone/,
  ],
  [
    'changes the baseline',
    "for (const name of fs.readdirSync(STATE, { recursive: true })) if (/baseline.*json/.test(name)) fs.appendFileSync(join(STATE, name), ' ')",
    /The baseline in .* (?:is damaged|cannot be read|is not the one)/,
  ],
]

describe('an agent that finishes its work, claims, and', () => {
  it.each(TOUCHED)('%s does not complete the run', async (_name, agent, said) => {
    const { ran, seen } = await runHostile(`work()\n${agent}\nclaim()`)
    expect(ran.code, seen).toBe(70)
    expect(ran.stderr).toMatch(/^error: [^\n]+\n$/)
    expect(ran.stderr).toMatch(said)
    expect(seen).not.toContain('completed')
  })

  it('fills the disk of the journal does not complete the run', async ({ skip }) => {
    // Mounts a file system in a namespace that ends with the command.
    const sealedOff = (place: string, command: readonly string[], more: object = {}) => {
      const unshare = process.getuid?.() === 0 ? ['-m'] : ['-Urm']
      const script = 'mount -t tmpfs -o size=4m tmpfs "$1"; shift; exec "$@"'
      return spawnSync('unshare', [...unshare, 'sh', '-ec', script, 'sh', place, ...command], {
        encoding: 'utf8',
        ...more,
      })
    }
    skip(sealedOff('/mnt', ['true']).status !== 0, 'this machine does not allow mounting a file system')
    const project = runProject()
    mkdirSync(project.state)
    const agent = project.agent(`${KIT}work(); sh('cat /dev/zero > ' + STATE + '/other'); claim()`)
    const command = [process.execPath, await program(), 'run', '--plain', '--', ...agent]
    const ran = sealedOff(project.state, command, { cwd: project.dir, env: project.env })
    expect(ran.status, ran.stdout + ran.stderr).toBe(70)
    expect(ran.stderr).toMatch(/^error: can't record [^\n]+: no space left on [^\n]+\n$/)
    expect(ran.stdout).not.toContain('completed')
  })

  it('touches only files that are not records completes the run, and the journal is intact', async () => {
    const { project, ran, seen } = await runHostile(
      `work()
fs.chmodSync(${JOURNAL}, 0o644)
fs.linkSync(${JOURNAL}, join(ROOT, 'second'))
fs.rmSync(join(STATE, 'inbox'), { recursive: true })
fs.rmSync(join(STATE, 'transcripts'), { recursive: true })
fs.rmSync('.exitgate', { recursive: true })
fs.mkdirSync(join(ROOT, 'elsewhere'))
fs.symlinkSync(join(ROOT, 'elsewhere'), '.exitgate')
claim()`,
    )
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
    expect(seen).toContain('.exitgate was not written: it is a symbolic link')
    expect(existsSync(`${project.root}/elsewhere/status.json`)).toBe(false)
    expect((await project.run(['state', '--verify'])).code).toBe(0)
  })
})
