import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { FleetError } from '../errors.ts'
import { type OwnGitCall, ownGit } from './own-git.ts'

/** Bytes go in and out unchanged, without line-ending conversion or filters, whatever the project's attributes are. */
const ATTRIBUTES = '* -text -ident -filter -working-tree-encoding -eol\n'

export interface RawRepository {
  /** Runs git with our repository and another one's working tree and objects. */
  git(action: string, args: readonly string[], call?: Omit<OwnGitCall, 'cwd' | 'env'>): Promise<string>
}

export interface RawPlace {
  /** The working tree. */
  readonly top: string
  /** The object folder of its repository, if it has one. */
  readonly objects?: string
  readonly format: string
  /** Its list of commits whose parents were never fetched. */
  readonly shallow?: string
  readonly env?: OwnGitCall['env']
}

/**
 * A temporary repository next to the agent's. It has none of the settings an agent could write, so credentials go only where we
 * send them. It is deleted afterwards.
 */
export async function inRawRepository<T>(place: RawPlace, work: (raw: RawRepository) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-transfer-'))
  try {
    make(dir, place)
    const own = { GIT_DIR: dir, GIT_WORK_TREE: place.top, GIT_INDEX_FILE: join(dir, 'index') }
    return await work({
      git: (doing, args, call = {}) =>
        ownGit(doing, args, {
          ...call,
          cwd: place.top,
          own: { ...own, ...call.own },
          ...(place.env && { env: place.env }),
        }),
    })
  } finally {
    removeFolderSync(dir)
  }
}

function make(dir: string, { objects, format, shallow }: RawPlace): void {
  // Git reads this file line by line, and it may contain comments.
  if (objects !== undefined && /[\n"#]/.test(objects))
    throw new FleetError(`Git can't use the workspace's folder ${objects} because of its characters. Rename it.`)
  for (const folder of ['refs', 'info', 'objects/info']) mkdirSync(join(dir, folder), { recursive: true })
  const extension = format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${format}\n`
  writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
  writeFileSync(
    join(dir, 'config'),
    `[core]\n\trepositoryFormatVersion = ${format === 'sha1' ? 0 : 1}\n\tbare = false\n\tfileMode = true\n\tautocrlf = false\n${extension}`,
  )
  writeFileSync(join(dir, 'info', 'attributes'), ATTRIBUTES)
  if (objects !== undefined) writeFileSync(join(dir, 'objects', 'info', 'alternates'), `${objects}\n`)
  if (shallow !== undefined && existsSync(shallow)) copyFileSync(shallow, join(dir, 'shallow'))
}
