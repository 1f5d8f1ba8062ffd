import { type Detector, depthOf } from './project.ts'

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Files of bats anywhere; the program of the project itself where it brings one along. */
export const bats: Detector = (project) => {
  const files = project.files.filter(
    (path) => path.endsWith('.bats') && !/(?:^|\/)(?:node_modules|vendor|bats(?:-core)?)\//.test(path),
  )
  if (files.length === 0) return []
  const folders = [...new Set(files.map(folderOf))].sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const tops = folders.filter(
    (folder, at) => !folders.slice(0, at).some((top) => top === '' || folder.startsWith(`${top}/`)),
  )
  const own = ['test/bats/bin/bats', 'tests/bats/bin/bats', 'vendor/bats/bin/bats'].find((path) => project.has(path))
  const local = project.read('node_modules/.bin/bats') === undefined ? 'bats' : 'node_modules/.bin/bats'
  const places = tops.map((folder) => (folder === '' ? '.' : /^[\w./-]+$/.test(folder) ? folder : `'${folder}'`))
  const command = `${own ?? local} -r ${places.join(' ')}`
  return [{ kind: 'test', command, cwd: '', runner: 'bats', why: `there is ${files[0]}` }]
}
