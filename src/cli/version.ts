import { readFileSync } from 'node:fs'

/** From the package itself, so that there is one place to change it; the sources lie one folder deeper than what is built of them. */
const place = import.meta.url.endsWith('.ts') ? '../../package.json' : '../package.json'
export const VERSION: string = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')).version
