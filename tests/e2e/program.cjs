// Starts the built program like `node dist/cli/cli.cjs`, but keeps V8's compiled form of its files in .tools. The tests start it
// hundreds of times, and would compile it each time. The program itself keeps nothing, because an agent could replace it
// (docs/internal/decisions/0004-no-compiled-code.md).
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { basename, dirname, join } = require('node:path')
const { constants, Script } = require('node:vm')

const root = join(__dirname, '..', '..')
const program = join(root, 'dist', 'cli')
const kept = join(root, '.tools', 'compiled')

/** Every command uses other functions. The rest decides whether the compiled form fits. */
function placeOf(file) {
  const { size, mtimeMs } = statSync(file)
  const command = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? ''
  return join(kept, [command, basename(file), size, mtimeMs, process.version, process.arch].join('-'))
}

function readOr(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

const compiled = []
const compile = Module.prototype._compile
Module.prototype._compile = function (text, file, ...more) {
  if (dirname(file) !== program) return compile.call(this, text, file, ...more)
  const place = placeOf(file)
  const cachedData = readOr(place)
  const script = new Script(Module.wrap(text.replace(/^#!.*/, '')), {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  if (cachedData === undefined || script.cachedDataRejected) compiled.push({ place, script })
  const { resolve, cache, extensions, main } = Module.createRequire(file)
  const load = Object.assign((id) => this.require(id), { resolve, cache, extensions, main })
  return script.runInThisContext().call(this.exports, this.exports, load, this, file, program)
}

// Only at the end are the functions compiled that a command uses. A command that was refused used few of them.
process.on('exit', (code) => {
  if (code >= 64 || compiled.length === 0) return
  try {
    mkdirSync(kept, { recursive: true })
    for (const { place, script } of compiled) {
      writeFileSync(`${place}.${process.pid}`, script.createCachedData())
      renameSync(`${place}.${process.pid}`, place)
    }
  } catch {
    // Another user, a sandbox or a full disk: the next process tries again.
  }
})

process.argv[1] = join(program, 'cli.cjs')
require(process.argv[1])
