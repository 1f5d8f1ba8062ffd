import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endOf, runHostile, SHELL_KIT } from './hostile-run.ts'
import { program } from './program.ts'
import { runProject } from './run-project.ts'

/** exitgate looks at the lock, then at the journal. While it records the agent's start, both may vanish in between. */
const GONE = /is no longer locked by this process|was removed or replaced by another process/

/** The agent finished its work and claimed. But exitgate can't trust records that were changed, or decide without recording it. */
const TOUCHED: readonly (readonly [name: string, agent: string, said: RegExp])[] = [
  ['appends to the journal', 'echo {} >> "$JOURNAL"', /was changed by another process/],
  ['truncates it', 'start=$(head -c 10 "$JOURNAL"); printf %s "$start" > "$JOURNAL"', /was changed by another process/],
  [
    'changes a byte of it',
    'printf X | dd of="$JOURNAL" bs=1 seek=100 conv=notrunc 2> /dev/null',
    /was changed by another process/,
  ],
  ['deletes it', 'rm "$JOURNAL"', /was removed or replaced by another process/],
  [
    'replaces it with a copy',
    'cp "$JOURNAL" "$STATE/copy"; mv "$STATE/copy" "$JOURNAL"',
    /was removed or replaced by another process/,
  ],
  [
    'replaces it with a link',
    'mv "$JOURNAL" "$ROOT/mine"; ln -s "$ROOT/mine" "$JOURNAL"',
    /was removed or replaced by another process/,
  ],
  ['removes the lock', 'rm "$STATE/lock"', /is no longer locked by this process/],
  ['moves the state folder', 'mv "$STATE" "$STATE-away"', GONE],
  ['deletes the state folder', 'rm -r "$STATE"', GONE],
  ['deletes the baseline', 'rm -r "$STATE"/baseline*', /The baseline in .* is gone/],
  [
    'changes the baseline',
    'find "$STATE" -path "*baseline*json*" | while read -r name; do printf " " >> "$name"; done',
    /The baseline in .* (?:is damaged|cannot be read|is not the one)/,
  ],
]

describe('an agent that finishes its work, claims, and', () => {
  it.each(TOUCHED)('%s does not complete the run', async (_name, agent, said) => {
    const { ran, seen } = await runHostile(`work\n${agent}\nclaim`)
    expect(ran.code, seen).toBe(70)
    expect(ran.stderr).toMatch(/^error: [^\n]+\n$/)
    expect(ran.stderr).toMatch(said)
    expect(ran.stderr).toMatch(/exitgate status --verify$|baseline/m)
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
    const agent = project.agent(`${SHELL_KIT}work; cat /dev/zero 2> /dev/null > "$STATE/other" || claim`)
    const command = [process.execPath, await program(), 'run', '--plain', '--', ...agent]
    const ran = sealedOff(project.state, command, { cwd: project.dir, env: project.env })
    expect(ran.status, ran.stdout + ran.stderr).toBe(70)
    expect(ran.stderr).toMatch(/^error: can't record [^\n]+: no space left on [^\n]+\n$/)
    expect(ran.stdout).not.toContain('completed')
  })

  it('touches only files that are not records completes the run, and the journal is intact', async () => {
    const { project, ran, seen } = await runHostile(
      `work
chmod 644 "$JOURNAL"
ln "$JOURNAL" "$ROOT/second"
rm -r "$STATE/inbox" "$STATE/transcripts" .exitgate
mkdir "$ROOT/elsewhere"
ln -s "$ROOT/elsewhere" .exitgate
claim`,
    )
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
    expect(seen).toContain('.exitgate was not written: it is a symbolic link')
    expect(existsSync(`${project.root}/elsewhere/status.json`)).toBe(false)
    expect((await project.run(['state', '--verify'])).code).toBe(0)
  })
})
