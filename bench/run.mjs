// npm run bench -- NAME [--corpus PATH] [--full] [--json]: runs one bench, or all of them. The last line printed is one JSON
// object.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const names = [
  'cold-start',
  'scan',
  'decide',
  'journal',
  'backtest',
  'evidence',
  'test-output',
  'tampering',
  'tampering-memory',
  'hacks',
  'honest-code',
  'proof-cost',
  'commits',
  'experiments',
  'loops',
  'text',
  'gauntlet',
  'redteam',
  'repositories',
  'hook',
  'loop',
  'fleet',
  'report',
  'watch',
  'diff',
]
const usage = 64

const fileOf = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))
const exists = (name) => existsSync(fileOf(name))

/** The chosen benches and options, or what is wrong with the command line. */
function read(args) {
  let parsed
  try {
    const flag = { type: 'boolean', default: false }
    const text = { type: 'string' }
    const options = { corpus: text, only: text, sandbox: text, rounds: text, repos: text, full: flag, json: flag }
    parsed = parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return { wrong: error.message }
  }
  const { corpus, full, json, only, sandbox, rounds, repos } = parsed.values
  const [name, ...more] = parsed.positionals
  if (more.length > 0) return { wrong: `Unexpected argument "${more[0]}". Pass one bench, or none for all` }
  if (name !== undefined && !names.includes(name)) return { wrong: `Unknown bench "${name}"` }
  if (name !== undefined && !exists(name)) return { wrong: `The bench "${name}" does not exist yet` }
  if (corpus !== undefined && !existsSync(corpus)) return { wrong: `--corpus ${corpus} does not exist` }
  return {
    name,
    full,
    json,
    own: { only, sandbox, rounds, repos },
    corpus: corpus === undefined ? undefined : resolve(corpus),
  }
}

function list() {
  return names.map((name) => `  ${name}${exists(name) ? '' : '   (does not exist yet)'}`).join('\n')
}

async function main() {
  const { wrong, name, own: options, corpus, full, json } = read(process.argv.slice(2))
  if (wrong) {
    console.error(
      `bench: ${wrong}.\nusage: npm run bench -- [NAME] [--corpus PATH] [--full] [--json]\nNAME is one of\n${list()}`,
    )
    process.exitCode = usage
    return
  }
  const print = json ? () => {} : (line = '') => console.log(line)
  print(`node ${process.versions.node}, ${process.platform}-${process.arch}, corpus: ${corpus ?? 'none given'}`)
  const figures = {}
  for (const each of name === undefined ? names.filter(exists) : [name]) {
    const bench = await import(`./${each}.mjs`)
    print(`\n${bench.name}${bench.about ? `: ${bench.about}` : ''}`)
    const began = performance.now()
    try {
      // With all benches, --corpus is a folder with one file per bench; the others use their own data.
      const own = name !== undefined || bench.corpora !== undefined ? corpus : undefined
      figures[each] = await bench.run({
        corpus: own,
        full,
        brief: name === undefined && !full,
        json,
        print,
        ...options,
      })
    } catch (error) {
      // A bench that fails must not hide the figures of the others.
      console.error(`bench ${each}: ${error.stack ?? error}`)
      figures[each] = { error: String(error.message ?? error) }
      process.exitCode = 1
    }
    print(`  ${Math.round((performance.now() - began) / 1000)} s`)
  }
  console.log(JSON.stringify(name === undefined ? figures : figures[name]))
}

await main()
