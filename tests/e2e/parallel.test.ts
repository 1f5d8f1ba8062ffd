import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyJournal } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { does, LIES, parallelProject } from './parallel-project.ts'
import { linesOf, processesOf } from './run-project.ts'

const LONG = { timeout: patience(240_000) }

describe('six tasks, three at a time', () => {
  it(
    'run in parallel after their dependencies, and a false claim blocks the tasks that depend on it',
    LONG,
    async () => {
      const project = parallelProject([
        { id: 'base', does: does('base'), priority: 1 },
        { id: 'api', does: does('api'), after: ['base'] },
        { id: 'page', does: does('page'), after: ['base'] },
        { id: 'liar', does: LIES },
        { id: 'victim', does: does('victim'), after: ['liar'] },
        {
          id: 'all',
          does: `test -e parts/api; test -e parts/page; ${does('all')}`,
          after: ['api', 'page'],
        },
      ])
      const before = project.own()
      const ran = await project.tasks('--parallel', '3', '--json')
      expect(ran.code, ran.stderr).toBe(1)
      expect(project.ends()).toEqual({
        base: 'completed/passed',
        api: 'completed/passed',
        page: 'completed/passed',
        liar: 'stuck/breaker',
        all: 'completed/passed',
      })
      expect(project.own()).toBe(before)
      expect(project.filesOf('exitgate/all')).toEqual(
        expect.arrayContaining(['parts/all', 'parts/api', 'parts/base', 'parts/page']),
      )
      expect(project.filesOf('exitgate/api')).not.toContain('parts/page')
      expect(project.filesOf('exitgate/api').filter((name) => name.startsWith('.exitgate'))).toEqual([])
      expect(project.worktrees()).toEqual(['liar'])
      expect(project.git('log', '-1', '--format=%an%n%B', 'exitgate/api')).toMatch(
        /^exitgate\napi: Do your part\.\n\nTask: api\nRun: \S+\nVerdict: completed\/passed/,
      )
      const lines = linesOf(ran.stdout)
      expect(lines.every((line) => Object.hasOwn(line, 'task'))).toBe(true)
      expect(lines.at(-1)).toMatchObject({ type: 'ended', exitCode: 1, task: null })
      const results = lines.at(-1)?.results
      expect(results).toContainEqual({
        task: 'victim',
        title: 'Do your part.',
        standing: 'blocked',
        waitsFor: ['liar'],
      })
      // No task started before its dependencies ended, and no two shared a folder.
      const at = (what: string): number => project.log().findIndex((line) => line.startsWith(what))
      expect(at('begin api')).toBeGreaterThan(at('end base'))
      expect(at('begin all')).toBeGreaterThan(Math.max(at('end api'), at('end page')))
      expect(at('begin victim')).toBe(-1)
      const places = new Map(project.log().map((line) => [line.split(' ')[1], line.split(' ').slice(3).join(' ')]))
      expect(new Set(places.values()).size).toBe(places.size)
      for (const { dir } of Object.values(project.record().tasks))
        expect(verifyJournal(dir)).toMatchObject({ ok: true, problems: [] })
      expect(processesOf(project.root)).toEqual([])
      expect(existsSync(join(project.folder(), 'lock'))).toBe(false)
      const { stdout } = await project.run(['status'])
      expect(stdout).toMatch(/^task base: Passed, not proven: [\s\S]* `exitgate explain --run base`$/m)
      expect(stdout).toMatch(/^task liar: Stuck: [\s\S]* `exitgate explain --run liar`$/m)
      expect(stdout).not.toContain('No decisions here yet')
    },
  )
})
