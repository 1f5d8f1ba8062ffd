import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { runProject } from './run-project.ts'

const PLACES: readonly (readonly [string, (root: string) => string, RegExp])[] = [
  ['a folder in /proc', () => '/proc/nope', /\/proc\/nope is missing and can't be created\. Create it, or choose/],
  ['a file', (root) => join(root, 'file'), /part of the path \S+\/file\S* is not a folder\. Fix the path, or choose/],
  ['a folder below a file', (root) => join(root, 'file/x'), /part of the path \S+\/file\S* is not a folder\. Fix/],
  ['a link to nothing', (root) => join(root, 'link'), /\/link is missing and can't be created\. Create it, or choose/],
]
const COMMANDS: readonly (readonly string[])[] = [
  ['run', '--max-iterations', '1', '--', 'true'],
  ['run', '--tasks', 'tasks.json', '--', 'true'],
  ['hold-out', 'PROMPT.md'],
  ['check'],
  ['trust'],
  ...['status', 'log', 'explain', 'report', 'attach', 'goal'].map((name) => [name]),
]

describe.skipIf(process.platform !== 'linux')('a state folder that is', { timeout: patience(60_000) }, () => {
  it.each(PLACES)('%s is refused at once, in one sentence, by every command', async (_, place, why) => {
    const project = runProject({ 'tasks.json': '{"tasks":[{"id":"one","prompt":"a"}]}' })
    writeFileSync(join(project.root, 'file'), '')
    symlinkSync(join(project.root, 'nowhere/x'), join(project.root, 'link'))
    for (const args of COMMANDS) {
      const { code, stderr } = await project.run(args, { EXITGATE_STATE_DIR: place(project.root) })
      expect([args.join(' '), code, stderr.match(/^error: .*/gm)?.length]).toEqual([args.join(' '), 70, 1])
      expect(stderr).toMatch(why)
    }
  })

  it.each(PLACES)('%s keeps doctor from calling the project ready', async (_, place, why) => {
    const project = runProject()
    writeFileSync(join(project.root, 'file'), '')
    symlinkSync(join(project.root, 'nowhere/x'), join(project.root, 'link'))
    const { code, stdout } = await project.run(['doctor', '--quick'], { EXITGATE_STATE_DIR: place(project.root) })
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([2, expect.stringMatching(why)])
  })
})
