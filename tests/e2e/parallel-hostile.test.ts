import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { does, parallelProject } from './parallel-project.ts'
import { program } from './program.ts'

const LONG = { timeout: patience(240_000) }

describe('a hostile agent among parallel tasks', () => {
  it('cannot change the work of other tasks, redirect its own, or control other runs', LONG, async () => {
    const evil = [
      'echo x > evil.txt; git add -f evil.txt',
      'git -c user.name=e -c user.email=e@localhost commit -qm evil',
      'git update-ref refs/heads/exitgate/good HEAD',
      'git reset -q --hard HEAD~1',
    ]
    const asks = `${process.execPath} "$HOME/exitgate" force --run slow --reason x --dir "$HOME/work" --state-dir "$HOME/state" > /dev/null 2>&1 || :`
    const elsewhere = 'echo "gitdir: $HOME/nowhere" > .git'
    const project = parallelProject([
      { id: 'good', does: does('good'), priority: 1 },
      { id: 'slow', does: `wait_for asked; ${does('slow')}` },
      {
        id: 'evil',
        after: ['good'],
        does: `${evil.join('; ')}; ${asks}; : > "$HOME/asked"; ${does('evil')}; ${elsewhere}`,
      },
      { id: 'heir', after: ['good'], does: `wait_for asked; ${does('heir')}` },
    ])
    writeFileSync(`${project.root}/exitgate`, `import(${JSON.stringify(await program())})\n`)
    const ran = await project.tasks('--parallel', '3', '--plain')
    expect(project.ends(), ran.stdout + ran.stderr).toMatchObject({
      good: 'completed/passed',
      slow: 'completed/passed',
      heir: 'completed/passed',
    })
    expect(ran.stdout).toMatch(
      /warning: The branch exitgate\/good was moved to [0-9a-f]{10}\. The verified work is commit [0-9a-f]{40}\./,
    )
    expect(project.filesOf('exitgate/heir')).toContain('parts/good')
    expect(project.filesOf('exitgate/heir')).not.toContain('evil.txt')
    const slow = project.record().tasks.slow?.dir ?? ''
    const notes = [...readEvents(slow)].flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes.join('\n')).toMatch(/refused: force/)
  })
})
