import { readFileSync } from 'node:fs'

/** From the package itself, so that there is one place to change it. Sources and program lie equally deep. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
