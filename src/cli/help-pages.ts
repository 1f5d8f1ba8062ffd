import { HELP } from './help/index.ts'
import { pageText } from './help/page.ts'

/** The pages as they are shown. */
export const PAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(HELP).map(([name, page]) => [name, pageText(page)]),
)
