import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../source-tree.ts'
import { textOf } from './blocks.ts'

/** Links to files or headings that don't exist. */
export function brokenLinks(page: string): readonly string[] {
  const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)]
  return links.flatMap(([link, path = '', heading]) => {
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return [`${page}: ${link}`]
    return heading === undefined || headingsOf(target).includes(heading) ? [] : [`${page}: ${link}: no such heading`]
  })
}

/** Headings as GitHub writes them in URLs. */
function headingsOf(page: string): readonly string[] {
  const titles = [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title)
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
