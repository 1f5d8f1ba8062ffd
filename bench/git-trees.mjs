import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The git folder of a clone named OWNER+NAME, NAME or OWNER/NAME. */
export function gitFolder(repos, repo) {
  const names = [repo.replace('/', '+'), repo, repo.split('/')[1]]
  const folders = names.flatMap((each) => ['repo/.git', 'repo', '.git', '.'].map((part) => join(repos, each, part)))
  return folders.find((folder) => existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects')))
}

/** The files of a commit, read when needed. */
export function treeOf(git, commit, objects) {
  const blobs = new Map()
  let listed
  try {
    listed = execFileSync('git', ['--git-dir', git, 'ls-tree', '-r', '-z', commit], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
  for (const entry of listed.split('\0')) {
    const file = /^100\d+ blob (\w+)\t(.*)$/s.exec(entry)
    if (file) blobs.set(file[2], file[1])
  }
  const read = (path) => (blobs.has(path) ? textOf(objects.read(blobs.get(path))) : undefined)
  return { blobs, paths: [...blobs.keys()], read }
}

/** Paths whose content differs. */
export const changedPaths = (before, after) =>
  [...new Set([...before.blobs.keys(), ...after.blobs.keys()])].filter(
    (path) => before.blobs.get(path) !== after.blobs.get(path),
  )

const textOf = (bytes) => (bytes?.subarray(0, 8000).includes(0) === false ? bytes.toString('utf8') : undefined)

/** One `git cat-file` per repository, asked through named pipes, because the check reads files synchronously. */
export function openObjects(git) {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-bench-commits-'))
  const [questions, answers] = ['questions', 'answers'].map((each) => join(folder, each))
  execFileSync('mkfifo', [questions, answers])
  const command = 'exec git --git-dir "$1" cat-file --batch <"$2" >"$3"'
  const child = spawn('sh', ['-c', command, 'sh', git, questions, answers], { stdio: 'ignore' })
  const [ask, answer] = [openSync(questions, 'w'), openSync(answers, 'r')]
  const recent = new Map()
  let left = Buffer.alloc(0)
  const more = () => {
    const bytes = Buffer.alloc(1 << 16)
    left = Buffer.concat([left, bytes.subarray(0, readSync(answer, bytes, 0, bytes.length, null))])
  }
  const take = (length) => {
    const bytes = left.subarray(0, length)
    left = left.subarray(length)
    return bytes
  }
  const exactly = (length) => {
    while (left.length < length) more()
    return Buffer.from(take(length))
  }
  const head = () => {
    while (!left.includes(10)) more()
    return take(left.indexOf(10) + 1).toString('latin1')
  }
  const fetch = (id) => {
    writeSync(ask, `${id}\n`)
    const size = Number(head().split(' ')[2])
    // A snapshot of a repository can lack its largest files.
    return Number.isNaN(size) ? undefined : exactly(size + 1).subarray(0, size)
  }
  return {
    read(id) {
      const bytes = recent.has(id) ? recent.get(id) : fetch(id)
      recent.delete(id)
      recent.set(id, bytes)
      if (recent.size > 200) recent.delete(recent.keys().next().value)
      return bytes
    },
    close() {
      closeSync(ask)
      closeSync(answer)
      child.kill()
      rmSync(folder, { recursive: true })
    },
  }
}
