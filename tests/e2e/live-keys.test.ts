import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLine } from '../../src/system/processes.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { assertSound } from './interrupt-run.ts'
import { program } from './program.ts'
import { CLAIM, processesOf, runProject, WORK, waitFor } from './run-project.ts'
import { noTmux, openWindow } from './tmux.ts'

const LONG = 'write the first half, and say so in a title that is much longer than the pane that shows it'
/** Does half of the work and claims. From the second iteration on it prints much, waits for the test, and does the rest. */
const AGENT = `printf done > first.txt
plan=$(sed 's/\\[ ] write/[x] write/' PLAN.md)
echo "$plan" > PLAN.md
if [ $EXITGATE_ITERATION != 1 ]; then
  n=0
  while [ $n -lt 60 ]; do n=$((n + 1)); echo "line $n of the second iteration"; done
  ${waitFor('go')}printf done > second.txt
  plan=$(sed 's/\\[ ]/[x]/' PLAN.md)
  echo "$plan" > PLAN.md
fi
${CLAIM}`

describe('the keys of the live view', { timeout: patience(60_000) }, () => {
  it('at 80 x 24: panes, scrolling, diff, pause, say, force, detach and attach', async ({ skip }) => {
    skip(noTmux !== undefined, noTmux)
    const project = runProject({ 'PLAN.md': `- [ ] ${LONG}\n- [ ] the second half\n` })
    const window = openWindow({ cwd: project.dir, env: project.env, columns: 80, rows: 24 })
    const exitgate = `${process.execPath} ${await program()}`
    const { shows, press, type } = window
    await shows(/READY>/)
    type(`${exitgate} run --plan PLAN.md -- ${project.agent(AGENT).join(' ')}`)
    press('Enter')
    await shows(/Accept them\?/)
    press('n')
    press('Enter')

    // The panes: items with their state, iterations with claim, proof and reason, and the output.
    const first = await shows(/2 now[\s\S]*line 60 of the second iteration/)
    expect(first).toMatch(/── PLAN\.md 1 of 2 ─/)
    expect(first).toMatch(/✓ write the first half/)
    expect(first).toMatch(/● the second half/)
    expect(first).toMatch(/1 claim ✓ proof ✗ Claim rejected/)
    expect(first).toMatch(/minutes 0 of 480 .* sandbox off/)
    press('?')
    await shows(/^Keys[\s\S]*PgUp PgDn[\s\S]*q {11}leave the view/)
    press('x')

    // Scrolling.
    await shows(/line 60 of/)
    press('PPage')
    await shows(/agent output 45-52 of 60/)
    press('Home')
    await shows(/agent output 1-8 of 60/)
    press('Down')
    await shows(/agent output 2-9 of 60/)
    press('End')
    await shows(/agent output 53-60 of 60/)

    // An earlier iteration, its diff and its verdict.
    press('BTab', 'Up')
    await shows(/> 1 claim ✓ proof ✗/)
    press('d')
    await shows(/── diff of iteration 1 [\s\S]*first\.txt {2}\+1 -0[\s\S]*/)
    press('PPage', 'NPage', 'End')
    await shows(/\+done/)
    press('Right')
    await shows(/── verdict of iteration 1 [\s\S]*still needed: /)

    // A cut title can be read in the pane alone.
    press('Escape')
    expect(await shows(/── agent output \d+-60 of 60 ─/)).toMatch(/✓ write the first half.*…/)
    press('Tab')
    press('Enter')
    expect((await shows(/longer than the pane\s+that shows\s+it/)).replace(/\s+/g, ' ')).toContain(`✓ ${LONG}`)
    press('Enter')

    press('p')
    await shows(/Pausing after the current iteration\./)
    press('p')
    await shows(/Resuming the run\./)
    press('s')
    await shows(/What should the agent know\? \(Esc goes back\):/)
    type('half')
    press('Escape')
    expect(await shows(/Nothing was done\.\s+.*\? help/)).not.toContain('^[')
    press('s')
    await shows(/What should the agent know\?/)
    type('use the new')
    press('BSpace', 'BSpace', 'BSpace')
    type('existing parser')
    press('Enter')
    const [, code = ''] = /To send it, type (\w{6})/.exec(await shows(/To send it, type \w{6} /)) ?? []
    type(code)
    press('Enter')
    await shows(/Added to the agent's next prompts\./)
    press('f')
    await shows(/End the run as completed without proof\?/)
    type('because')
    press('Enter')
    await shows(/To force the run, type \w{6} /)
    type('WRONG2')
    press('Enter')
    await shows(/Nothing was done\. The code was wrong\./)

    // The run continues without its terminal, and another process shows it.
    press('q')
    await shows(/Detached\. The run continues in the background[\s\S]*READY>\s*$/)
    type('fg')
    press('Enter')
    await shows(/agent output \d+-60 of 60[\s\S]*q detach/)
    press('BTab', 'Home')
    await shows(/agent output 1-\d+ of 60/)

    // In the background nothing is painted over the shell; with fg the keys work again, whether bash sends a signal or not.
    press('C-z')
    await shows(/Stopped[\s\S]*READY>\s*$/)
    type('clear; bg')
    press('Enter')
    await shows(/run --plan PLAN\.md[\s\S]*&\s+READY>\s*$/)
    type(`${exitgate} pause > /dev/null; echo shell-$((1+1))`)
    press('Enter')
    expect(await shows(/shell-2\s+READY>\s*$/)).not.toMatch(/agent output|iteration 2/)
    type(`${exitgate} resume > /dev/null; fg`)
    press('Enter')
    await shows(/agent output 1-\d+ of 60[\s\S]*q detach/)
    press('End')
    await shows(/agent output \d+-60 of 60/)
    press('q')
    await shows(/Detached\.[\s\S]*fg {16}show it again[\s\S]*READY>\s*$/)
    type(`${exitgate} attach`)
    press('Enter')
    expect(await shows(/line 60 of[\s\S]*Ctrl\+C: leave/)).toMatch(/1 claim ✓ proof ✗ Claim rejected/)
    press('d')
    await shows(
      /── diff of iteration 1 [\s\S]*The diff of iteration 2 is made when the checks start\.[\s\S]*first\.txt/,
    )
    press('q')
    await shows(/Left the view\. The run continues/)
    await window.close()
    writeFileSync(join(project.root, 'go'), '')
    while (!project.events().some(({ type }) => type === 'run.ended')) await setTimeout(20)
    await assertSound(project)
    expect(project.events().find(({ type }) => type === 'run.ended')).toMatchObject({ ending: 'verified' })
    expect(project.events().filter(({ type }) => type === 'guidance')).toMatchObject([
      { text: 'use the existing parser' },
    ])
  })

  it('after q, a run continues when its terminal closes, however late the shell passes that on', async ({ skip }) => {
    skip(noTmux !== undefined, noTmux)
    const project = runProject()
    const agent = project.agent(`echo at work\n${waitFor('go')}${WORK}${CLAIM}`)
    const window = openWindow({ cwd: project.dir, env: project.env, columns: 100, rows: 24 })
    await window.shows(/READY>/)
    window.type(`${process.execPath} ${await program()} run --accept-failing -- ${agent.join(' ')}`)
    window.press('Enter')
    await window.shows(/at work[\s\S]*q detach/)
    window.press('q')
    const [, pid = ''] = /\(process (\d+)\)/.exec(await window.shows(/Detached\.[\s\S]*READY>\s*$/)) ?? []
    // A shell that ends would terminate a job it still calls stopped. This one doesn't pass on the hangup; the test does.
    window.type('while jobs -s | grep -q .; do sleep 0.02; done; disown -h; echo running-$((1+1))')
    window.press('Enter')
    await window.shows(/running-2\s+READY>\s*$/)
    await window.close()
    // SIGCONT lets the run look at once who has the terminal. It is handled before the next signal that comes later.
    for (let times = 0; times < 10; times++) {
      process.kill(Number(pid), times % 2 === 0 ? 'SIGCONT' : 'SIGHUP')
      await setTimeout(20)
    }
    writeFileSync(join(project.root, 'go'), '')
    while (!project.events().some(({ type }) => type === 'run.ended')) await setTimeout(20)
    await assertSound(project)
    expect(project.events().find(({ type }) => type === 'run.ended')).toMatchObject({ ending: 'verified' })
  })

  it('after q and fg, a job that Ctrl+Z stops stays stopped', async ({ skip }) => {
    skip(noTmux !== undefined, noTmux)
    const project = runProject()
    const agent = project.agent('echo at work; exec /bin/sleep 600')
    // The process that continues the job after q looks every few milliseconds. Here it looks once, and again when the test says so.
    const bin = join(project.root, 'bin')
    mkdirSync(bin)
    const sleep = '#!/bin/sh\necho $PPID > "$HOME/looked"\nwhile [ ! -e "$HOME/look" ]; do /bin/sleep 0.02; done\n'
    writeFileSync(join(bin, 'sleep'), sleep, { mode: 0o755 })
    const env = { ...project.env, PATH: `${bin}:${project.env.PATH}` }
    const { shows, press, type } = openWindow({ cwd: project.dir, env, columns: 100, rows: 24 })
    // The agent is stopped too, so nothing else would end it.
    onTestFinished(() => {
      // It is no error if one of them has just ended.
      spawnSync('kill', ['-KILL', ...processesOf(project.root)])
    })
    await shows(/READY>/)
    type(`${process.execPath} ${await program()} run --accept-failing -- ${agent.join(' ')}`)
    press('Enter')
    await shows(/at work[\s\S]*q detach/)
    press('q')
    await shows(/Detached\.[\s\S]*READY>\s*$/)
    type('clear; fg')
    press('Enter')
    await shows(/at work[\s\S]*q detach/)
    press('C-z')
    await shows(/Stopped[\s\S]*READY>\s*$/)
    writeFileSync(join(project.root, 'look'), '')
    const looked = join(project.root, 'looked')
    const helper = existsSync(looked) ? Number(readFileSync(looked, 'utf8')) : 0
    // If it was ended before its `sleep` looked for it, the number is that of another process, such as 1.
    const isWaiting = () => helper > 0 && !isGone(helper) && commandLine(helper).includes('kill -CONT')
    await expect.poll(isWaiting, { timeout: patience(30_000) }).toBe(false)
    type('clear; jobs; echo listed-$((1+1))')
    press('Enter')
    expect(await shows(/listed-2\s+READY>\s*$/)).toMatch(/Stopped/)
  })

  it('reports that no run is running', async () => {
    const ran = await runProject().run(['attach'])
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/No run is running in .*\. To see the last run, use exitgate report --open\./)
  })
})
