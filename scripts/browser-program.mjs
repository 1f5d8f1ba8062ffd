import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { env, platform } from 'node:process'

/** Any Chromium-based browser works; the first one found is used. The headless shell has no window to draw, so it needs less CPU time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
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
    ...(env.EXITGATE_BARE ? [] : (PLACES[platform] ?? [])),
  ]
  const path = candidates.find(canRun)
  if (path !== undefined) return { path }
  return { missing: 'no Chromium found. Set CHROMIUM=..., or run npm run programs' }
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
