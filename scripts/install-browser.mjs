import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { argv, env, geteuid, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

/** Any Chromium-based browser works; the first one found is used. The headless shell has no window to draw, so it needs less CPU time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PACKAGES = ['chromium-headless-shell', 'chromium']
const PLACES = {
  linux: ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
}

/** The browser for tests/browser: { path }, or { missing } with the remedy. */
export function browserProgram() {
  const onPath = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const candidates = [
    ...(env.CHROMIUM ? [env.CHROMIUM] : []),
    ...NAMES.flatMap((name) => onPath.map((folder) => join(folder, name))),
    ...(PLACES[platform] ?? []),
  ]
  const path = candidates.find(canRun)
  if (path !== undefined) return { path }
  return { missing: 'no Chromium found. Set CHROMIUM=..., or run npm run browser as root on Debian' }
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Debian's own package, if we are allowed to install it. */
function install() {
  if (platform !== 'linux' || geteuid?.() !== 0) return
  const run = (args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const wanted = (name) => ['install', '-qq', '-y', '--no-install-recommends', name]
  // Older releases have only the whole browser.
  for (const name of PACKAGES) if (run(wanted(name))) return
  if (run(['update', '-qq'])) PACKAGES.some((name) => run(wanted(name)))
}

const isHeadlessShell = ({ path }) => path?.endsWith(PACKAGES[0]) ?? false

function main(args) {
  if (args.includes('--install') && !env.CHROMIUM && !isHeadlessShell(browserProgram())) install()
  const { path, missing } = browserProgram()
  // Without a browser its tests are skipped by name, so this exits with 0 anyway.
  console.error(`exitgate: ${path === undefined ? missing : `browser for the tests: ${path}`}`)
}

if (argv[1] === fileURLToPath(import.meta.url)) main(argv.slice(2))
