import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Follows the prompt literally: does one item, marks it, and reports as the rule in the prompt requires.
const prompt = readFileSync(0, 'utf8')
const folder = join(process.env.HOME, 'prompts')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, `${process.env.EXITGATE_ITERATION}.md`), prompt)

const read = (file) => readFileSync(file, 'utf8')
const section = /^## Current task.*$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(prompt)?.[1] ?? ''
const [, , total, plan] = /^## Current task: item (\d+) of (\d+) in (.+)$/m.exec(prompt) ?? []

for (const file of section.match(/part-\d\.txt/g) ?? []) writeFileSync(file, 'done\n')
for (const instruction of /^When this item is done, (.+?)\.(?: |$)/m.exec(section)?.[1]?.split(', then ') ?? [])
  mark(instruction)

function mark(instruction) {
  const [, boxFile, line] = /^tick its box in (\S+) \(line (\d+)\)$/.exec(instruction) ?? []
  if (boxFile !== undefined) return tick(boxFile, (_, at) => at + 1 === Number(line))
  const [, partFile] = /^tick the boxes in (\S+)$/.exec(instruction) ?? []
  if (partFile !== undefined) return tick(partFile, () => true)
  const [, field, value, id, storyFile] =
    /^set "(\w+)" to (true|"done") in story (\S+) of (\S+)$/.exec(instruction) ?? []
  if (storyFile !== undefined) {
    const json = JSON.parse(read(storyFile))
    json.userStories.find((story) => story.id === id)[field] = JSON.parse(value)
    return writeFileSync(storyFile, JSON.stringify(json, null, 2))
  }
  const [, from, to] = /^move (\S+) to (\S+)$/.exec(instruction) ?? []
  if (to !== undefined) {
    mkdirSync(dirname(to), { recursive: true })
    return renameSync(from, to)
  }
  const [, statusFile] = /^set "status: done" in the front matter of (\S+)$/.exec(instruction) ?? []
  if (statusFile !== undefined)
    return writeFileSync(statusFile, read(statusFile).replace(/^status: .*$/m, 'status: done'))
  throw new Error(`the prompt asks for something unknown: ${instruction}`)
}

function tick(file, which) {
  const lines = read(file).split('\n')
  writeFileSync(file, lines.map((line, at) => (which(line, at) ? line.replace('[ ]', '[x]') : line)).join('\n'))
}

/** Without a rule in the prompt, an honest agent thinks "the task" is the item it got. */
const rule = /^(.+?) only if (.+?)\. Otherwise (.+?)\.$/m.exec(section)
const done = rule === null ? section !== '' : rule[2].split(' and ').every(holds)

function holds(condition) {
  if (condition === 'this item is done') return true
  if (condition === 'the tests pass') return spawnSync('sh', ['parts.sh']).status === 0
  const [, items] = /^all (\d+) items are done$/.exec(condition) ?? []
  if (items !== undefined) return items === total && Number(items) === doneIn(plan)
  throw new Error(`the prompt names an unknown condition: ${condition}`)
}

/** Counts the items marked as done, as you would when you open the plan. */
function doneIn(path) {
  if (path.endsWith('.json'))
    return JSON.parse(read(path)).userStories.filter((story) => story.passes ?? story.status === 'done').length
  if (path.endsWith('.md')) return read(path).match(/- \[x\]/g)?.length ?? 0
  const inDone = existsSync(join(path, 'done')) ? readdirSync(join(path, 'done')) : []
  const saysSo = readdirSync(path).filter(
    (name) => name.endsWith('.md') && /^status: done$/m.test(read(join(path, name))),
  )
  return inDone.length + saysSo.length
}

const lines = ['The item is done.']
/** The sentence that this preset's part of the prompt requires. */
const sentence = /^If (you report COMPLETE|you set it to true|you trust it fully), also write: "?(.+?)"?$/m.exec(prompt)
if (sentence !== null && (done || sentence[1] === 'you trust it fully')) lines.push(sentence[2])
console.log([...lines, '', ...report()].join('\n'))

/** The status block from the prompt, filled in. */
function report() {
  if (prompt.includes('EXIT_STATUS: {'))
    return [
      `EXIT_STATUS: ${done ? 'COMPLETE' : 'CONTINUE'}`,
      'EXIT_REASON: see above',
      `REMAINING_WORK: ${done ? 'none' : 'other items'}`,
    ]
  if (prompt.includes('---RALPH_STATUS---'))
    return [
      '---RALPH_STATUS---',
      `STATUS: ${done ? 'COMPLETE' : 'IN_PROGRESS'}`,
      'TASKS_COMPLETED_THIS_LOOP: 1',
      'FILES_MODIFIED: 2',
      'TESTS_STATUS: NOT_RUN',
      'WORK_TYPE: IMPLEMENTATION',
      `EXIT_SIGNAL: ${done}`,
      `RECOMMENDATION: ${done ? 'none' : 'the next item'}`,
      '---END_RALPH_STATUS---',
    ]
  if (prompt.includes('DOYAKEN_STATUS:'))
    return [
      'DOYAKEN_STATUS:',
      `  PHASE_COMPLETE: ${done}`,
      '  FILES_MODIFIED: 2',
      `  TESTS_STATUS: ${done ? 'pass' : 'unknown'}`,
      '  CONFIDENCE: high',
      `  REMAINING_WORK: ${done ? 'none' : 'the next item'}`,
    ]
  return []
}
