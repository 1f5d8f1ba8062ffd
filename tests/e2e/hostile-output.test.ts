import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { decisionsOf, endOf, NODE_KIT, runHostile } from './hostile-run.ts'

const MEGABYTE = 1024 * 1024
/** Set EXITGATE_FLOOD=1 to print a full gigabyte. */
const FLOOD = process.env.EXITGATE_FLOOD === undefined ? 200 : 1024

/** The runner's peak memory in kilobytes, as the agent reads it just before it ends. */
const MEASURE = `tell('memory', fs.readFileSync('/proc/' + RUNNER + '/status', 'utf8').match(/VmHWM:\\s+(\\d+)/)[1])`
const BUILT = {
  config: { required: ['build'], commands: { build: 'true' }, run: { transcriptMegabytes: 1 } },
  files: { 'package.json': '{}' },
}

describe('an agent', () => {
  it.for([
    ['lines', "Buffer.from('a line of no importance\\n'.repeat(43690))"],
    ['one line without an end', "Buffer.alloc(1048576, 'x')"],
    ['zero bytes', 'Buffer.alloc(1048576)'],
  ])(
    `that prints ${FLOOD} MB of %s is read to the end, in little memory`,
    { timeout: patience(600_000) },
    async ([, chunk], { skip }) => {
      skip(process.platform !== 'linux', 'it reads the memory use from /proc')
      const agent = `${NODE_KIT}const chunk = ${chunk}
for (let i = 0; i < ${FLOOD}; i++) if (!process.stdout.write(chunk)) await new Promise((go) => process.stdout.once('drain', go))
fs.writeFileSync('work.txt', 'done'); ${MEASURE}
console.log(''); claim()`
      const { project, ran, seen } = await runHostile(agent, BUILT)
      expect(ran.code, seen.slice(-2000)).toBe(0)
      expect(endOf(project)).toBe('completed/passed')
      expect(Number(readFileSync(`${project.root}/memory`, 'utf8')) / 1024).toBeLessThan(200)
      expect(Buffer.byteLength(seen)).toBeLessThan(MEGABYTE)
    },
  )

  const ODD = `for (const stream of [process.stdout, process.stderr]) {
  stream.write('\\x1b]0;another title\\x07\\x1b[2J\\x1b[1;1H\\x1b[31mred\\x1b]52;c;cHduZWQ=\\x1b\\\\\\u009b2J\\u202egnol\\n')
  stream.write(Buffer.from([0xff, 0xfe, 0, 0x80, 0xc3, 10, 13, 8, 8, 10]))
  stream.write('\\x1b[1A\\x1b[2K completed/verified\\n' + 'y'.repeat(3000000) + '\\n')
}
`
  it.each([['--plain'], ['--json']])('cannot pass terminal control sequences through to the user: %s', async (how) => {
    const { project, ran, seen } = await runHostile(`${NODE_KIT}${ODD}process.exitCode = 1`, { ...BUILT, args: [how] })
    expect(ran.code, seen.slice(-2000)).toBe(2)
    expect(endOf(project)).toBe('aborted/iterations')
    // Only plain lines: no control characters except line feeds, and no marks that change the text direction.
    expect(seen.match(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g)).toBeNull()
    expect(decisionsOf(project)[0]?.observation.failed?.reason).toMatch(/^the agent exited with code 1/)
  })
})
