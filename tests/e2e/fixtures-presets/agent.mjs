import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Shared by all scripted agents here. What they do depends only on the iteration, so repeating one gives the same result. */
export const n = Number(process.env.EXITGATE_ITERATION)
export const scenario = process.argv[2]
export const task = process.env.EXITGATE_TASK ?? ''
export const phase = process.env.EXITGATE_PHASE ?? ''
export const say = (...lines) => console.log(lines.join('\n'))
export const read = (file) => readFileSync(file, 'utf8')
export function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
export function move(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}
export const remove = (file) => rmSync(file)
export const finish = (half) => write(`${half}.txt`, 'done\n')
export const tick = (file, words) => write(file, read(file).replace(`- [ ] ${words}`, `- [x] ${words}`))
export function fail(message) {
  console.error(message)
  process.exit(1)
}
/** Waits for the test to release it. */
export async function goAhead() {
  while (!existsSync(join(process.env.HOME, 'go'))) await sleep(20)
}
/** Prints nothing until it is killed. */
export const hang = () => setInterval(() => {}, 60_000)

// Saves the prompt, so tests can read it afterwards.
const prompts = join(process.env.HOME, 'prompts')
mkdirSync(prompts, { recursive: true })
writeFileSync(join(prompts, `${n}.md`), readFileSync(0, 'utf8'))
appendFileSync(join(prompts, 'order.txt'), `${n} ${phase}${task}\n`)
