// node scripts/bare.mjs COMMAND [ARGUMENT...]
// Runs a command as on a machine with only Node and git: optional programs are hidden. PATH has links to everything else, and
// EXITGATE_BARE tells our scripts and tests not to look elsewhere. It works without permissions, on Linux and macOS.
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { argv, env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { exitLike, run } from './run.mjs'

/** Programs that tests use if they are there. */
const OPTIONAL = [
  // Sandboxes and containers.
  /^(?:bwrap|docker|podman|nerdctl)$/,
  // Browsers.
  /^(?:chrom(?:e|ium).*|google-chrome.*|microsoft-edge.*|firefox.*)$/,
  // PostgreSQL and its clients.
  /^(?:psql|postgres|postmaster|initdb|(?:create|drop)(?:db|user)|pg_?\w+)$/,
  // Agents.
  /^(?:claude|codex|gemini|opencode|pi|qwen|copilot|droid|goose|grok|kimi|qoder|cursor-agent|amp|aider)$/,
  // Other languages, and their test runners.
  /^(?:python|pypy|pip|ruby|irb|php|perl|prove|lua|R)[\d.]*$|^(?:pytest|py\.test|tox|uv|poetry|pyenv|rspec|rake|bundle|gem|phpunit|composer)$/,
  /^(?:go|gofmt|cargo.*|rust.*|java|javac|mvn|gradle|dotnet|swift|mix|elixir|dart|deno|bun|bats|just|task)$/,
  /^(?:jest|mocha|ava|vitest|yarn|pnpm|busted)$/,
  // Terminals, shells, manuals and other tools.
  /^(?:tmux|screen|script|fish|zsh|mandoc|groff|troff|man|lsof|strace|jq|gh|glab|ip|iptables|tc|socat)$/,
]

const isOptional = (name) => OPTIONAL.some((names) => names.test(name))

/** The environment for the command, and a function that removes its folder. The folder has to outlive the command. */
export function bareEnvironment(given = env) {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-bare-'))
  // Some tests run as another user.
  chmodSync(folder, 0o755)
  const seen = new Set(['node'])
  symlinkSync(execPath, join(folder, 'node'))
  // npm adds the binaries of the packages to the PATH, which are not the machine's.
  const places = (given.PATH ?? '').split(delimiter).filter((place) => isAbsolute(place) && !/node_modules/.test(place))
  for (const place of places) {
    for (const name of namesIn(place)) {
      if (seen.has(name) || isOptional(name)) continue
      seen.add(name)
      symlinkSync(join(place, name), join(folder, name))
    }
  }
  const { CHROMIUM: _browser, POSTGRES_BIN: _database, ...rest } = given
  return {
    env: { ...rest, PATH: folder, EXITGATE_BARE: '1' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function namesIn(place) {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

async function main([command, ...args]) {
  if (command === undefined) {
    console.error('usage: node scripts/bare.mjs COMMAND [ARGUMENT...]')
    process.exitCode = 64
    return
  }
  const bare = bareEnvironment()
  process.on('exit', bare.remove)
  const program = basename(command) === 'node' ? execPath : command
  const ended = await run(program, args, { env: bare.env }).catch((error) => {
    console.error(`exitgate: ${command} could not be started in a bare environment: ${error.message}`)
    return { code: 127 }
  })
  bare.remove()
  exitLike(ended)
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2))
