// An agent that leaves helpers of several kinds: node leave-helpers.mjs COUNT [MARK]. With a mark it works on for a while.
import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { argv, cwd, env, execPath, exit, pid } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const [count, mark = ''] = argv.slice(2)
const iteration = env.EXITGATE_ITERATION
const WORK_MS = 20_000

/** Waits a random time, then acts again and again. It ends by itself. */
const helper = (n) => `
const fs = require('fs')
const until = Date.now() + ${mark === '' ? 4000 : WORK_MS}
let k = 0
const act = () => {
  try { process.kill(${pid}, 0) } catch { fs.writeFileSync(${JSON.stringify(cwd())} + '/.git/acted/${iteration}-${n}-' + process.pid + '-' + k++, '') }
  if (Date.now() < until && k < 20) setTimeout(act, Math.random() * 40)
}
setTimeout(act, Math.random() * 300)`

const KINDS = [
  (code) => [execPath, ['-e', code, mark], { detached: true }],
  (code) => [execPath, ['-e', code, mark], { detached: true, env: {} }],
  (code) => ['/bin/sh', ['-c', '"$0" "$@" & exit 0', execPath, '-e', code, mark], {}],
  (code) => ['/usr/bin/env', ['-i', 'setsid', execPath, '-e', code, mark], {}],
  (code) => [
    '/bin/sh',
    ['-c', 'trap "" HUP TERM INT; (exec env -i setsid "$0" "$@" &) ; exit 0', execPath, '-e', code, mark],
    { detached: true },
  ],
]

for (let n = 0; n < Number(count); n++) {
  const [file, args, options] = KINDS[n % KINDS.length](helper(n))
  spawn(file, args, { stdio: 'ignore', ...options }).unref()
}
appendFileSync('notes.txt', `iteration ${iteration}\n`)
await sleep(Math.random() * 250)
if (mark !== '') {
  await sleep(300)
  writeFileSync('.git/working', '')
  await sleep(WORK_MS)
}
exit(0)
