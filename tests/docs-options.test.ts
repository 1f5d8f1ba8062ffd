import { expect, it } from 'vitest'
import { PAGES as HELP } from './cli/help-pages.ts'
import { PAGES, textOf } from './docs/blocks.ts'

// In its own file, because the help needs the sources of all commands, and the files that run the pages don't.
it.each(PAGES)('%s uses only options that exist', (page) => {
  const text = textOf(page).replace(/^```text[\s\S]*?^```/gm, '')
  const unknown: string[] = []
  for (const [, command = '', rest = ''] of text.matchAll(/exitgate ((?:lab )?[a-z-]+)((?: [^`\n;|#]*)?)/g)) {
    const help = HELP[command]
    if (help === undefined) continue
    const known = help.includes('as in check') ? help + HELP.check : help
    const own = rest.split(/ -- |, |[ >]exitgate /)[0] ?? ''
    for (const [option] of own.matchAll(/(?<=\s)--[a-z][\w-]*/g))
      if (!`${known} --help`.includes(option)) unknown.push(`${command} ${option}`)
  }
  expect(unknown).toEqual([])
})
