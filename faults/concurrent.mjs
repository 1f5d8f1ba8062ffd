import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atOnce, CLAIM, ENDLESS, MORE, makeProject, REFUSED, stopOf, tally } from './project.mjs'

/** Many callers in one folder. CHECKS=50 makes the first row smaller. */
const CHECKS = Number(process.env.CHECKS ?? 200)
const AT_ONCE = 20
const HOOKS = 8

const decisions = (events) => events.filter(({ type }) => type === 'iteration.decided')
const increasing = (events) =>
  decisions(events).every(({ iteration }, n, all) => n === 0 || iteration > all[n - 1].iteration)

export const rows = [
  {
    name: `${CHECKS} checks, ${AT_ONCE} at a time, in one folder: each is decided once`,
    async run({ dir }) {
      const project = makeProject(dir, { 'exitgate.config.json': ENDLESS })
      writeFileSync(join(dir, 'said.txt'), MORE)
      const check = () => project.run(['check', '--transcript', join(dir, 'said.txt'), '--quiet'])
      const ends = await atOnce(
        AT_ONCE,
        Array.from({ length: CHECKS }, () => check),
      )
      const made = decisions(project.events())
      const ok = ends.every(({ code }) => code === 10) && made.length === CHECKS && increasing(project.events())
      const said = ends.find(({ code }) => code !== 10)?.stderr ?? ''
      return {
        ok,
        detail:
          `exit codes ${tally(ends.map(({ code }) => code))}; ${made.length} decisions in the journal. ${said}`.trim(),
      }
    },
  },
  {
    name: `${HOOKS} hooks during a running loop: every session and the loop count their own iterations`,
    async run({ dir }) {
      const project = makeProject(dir)
      await project.trust()
      const agent = project.agent(`import { existsSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(dir, 'working'))}, '')
while (!existsSync(${JSON.stringify(join(dir, 'go-on'))})) await new Promise((resolve) => setTimeout(resolve, 20))
writeFileSync('fixed', '')
console.log(${JSON.stringify(CLAIM)})
`)
      const loop = project.start(['run', '--plain', '--', ...agent])
      while (!existsSync(join(dir, 'working'))) await sleep(20)
      const hook = (n) => () => project.run(['hook', 'claude'], { input: stopOf(project.dir, `s${n}`, CLAIM) })
      const answers = await atOnce(
        HOOKS,
        Array.from({ length: HOOKS }, (_, n) => hook(n)),
      )
      writeFileSync(join(dir, 'go-on'), '')
      const end = await loop.done
      const ofLoop = decisions(project.events()).map(({ iteration }) => iteration)
      const sessions = project.sessions().map((events) => decisions(events).length)
      const refused = answers.filter(({ stdout }) => stdout.includes(REFUSED)).length
      const ok =
        end.code === 0 &&
        ofLoop.join() === '1' &&
        sessions.length === HOOKS &&
        sessions.every((n) => n === 1) &&
        refused === HOOKS
      const detail = `loop: exit ${end.code}, iterations ${ofLoop.join(', ')}; ${refused} of ${HOOKS} stops refused; decisions of each session: ${sessions.join(', ')}`
      return { ok, detail: ok ? detail : `${detail}. ${answers[0]?.stdout}${end.stderr}` }
    },
  },
  {
    name: 'two runs in one folder: the second run and a check fail at once with exit code 75, and checks without a record leave the run alone',
    async run({ dir }) {
      const project = makeProject(dir)
      const agent = project.agent(`import { existsSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(dir, 'working'))}, '')
while (!existsSync(${JSON.stringify(join(dir, 'go-on'))})) await new Promise((resolve) => setTimeout(resolve, 20))
writeFileSync('fixed', '')
console.log(${JSON.stringify(CLAIM)})
`)
      const first = project.start(['run', '--plain', '--', ...agent])
      while (!existsSync(join(dir, 'working'))) await sleep(20)
      const second = await project.run(['run', '--plain', '--', ...agent])
      const check = await project.run(['check', '--quiet'], { input: MORE })
      const apart = await project.run(['check', '--claim', '--no-record'])
      await project.run(['next', '--no-record'])
      writeFileSync(join(dir, 'go-on'), '')
      const end = await first.done
      const named = [second, check].every(({ stderr }) => /in use by process \d+ \(exitgate run, since/.test(stderr))
      const refused = second.code === 75 && check.code === 75 && apart.code === 10
      const ok = end.code === 0 && refused && named && decisions(project.events()).length === 1
      return {
        ok,
        detail: `exit codes: run ${end.code}, second run ${second.code}, check ${check.code}, without record ${apart.code}. ${check.stderr.trim()}`,
      }
    },
  },
  {
    name: 'runs in six folders at the same time: all verified, none affects another',
    async run({ dir }) {
      const projects = Array.from({ length: 6 }, (_, n) => makeProject(join(dir, `p${n}`)))
      const ends = await Promise.all(
        projects.map((project) => {
          const agent = project.agent(`import { writeFileSync } from 'node:fs'
writeFileSync('fixed', '')
console.log(${JSON.stringify(CLAIM)})
`)
          return project.run(['run', '--plain', '--', ...agent])
        }),
      )
      const ok =
        ends.every(({ code }) => code === 0) && projects.every((project) => decisions(project.events()).length === 1)
      return { ok, detail: `exit codes ${tally(ends.map(({ code }) => code))}` }
    },
  },
]
