import { isAbsolute, relative } from 'node:path'

/** Whether a path is a folder or inside it. Both are absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!isAbsolute(way) && way !== '..' && !/^\.\.[/\\]/.test(way))
}
