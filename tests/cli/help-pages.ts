import { COMMANDS } from '../../src/cli/commands/index.ts'
import { pageText } from '../../src/cli/help.ts'

const pages = await Promise.all(Object.entries(COMMANDS).map(async ([name, { help }]) => [name, await help()] as const))

/** The help of every command. */
export const HELP = Object.fromEntries(pages)

/** The same text as printed by --help. */
export const PAGES = Object.fromEntries(pages.map(([name, page]) => [name, pageText(page)]))
