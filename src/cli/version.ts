import { readFileSync } from 'node:fs'

/** From the package, so that there is one place to change it. Sources and built program are equally deep in it. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
