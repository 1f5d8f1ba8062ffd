import { basename, relative, sep } from 'node:path'
import { count, listOf } from '../../../../packages/core/src/count.ts'
import { repositoryRoot } from '../../../system/git.ts'
import { type DependencyChange, dependencyChanges } from '../../baseline/dependencies.ts'
import type { FullBaseline } from '../../baseline/stored-baseline.ts'
import type { Workspace } from '../../types.ts'
import type { TamperFinding } from '../finding.ts'
import { type ChangedPackage, changedNodePackages, type ProjectFiles } from './node.ts'
import { changedPythonPackages } from './python.ts'

/** After these, the rest of a folder is one finding. */
const MOST = 10
const NAMED = 5

/** Installed packages and programs that differ from the baseline. */
export async function dependencyFindings(
  baseline: FullBaseline,
  workspace: Workspace,
  changed: readonly string[],
): Promise<readonly TamperFinding[]> {
  const recorded = baseline.dependencies?.()
  if (recorded === undefined) return []
  const listed = await workspace.list()
  const project: ProjectFiles = {
    top: repositoryRoot(workspace.dir) ?? workspace.dir,
    patches: listed.filter((path) => path.endsWith('.patch') && /(?:^|\/)patches\//.test(path)),
    listsChanged: changed.some((path) => LISTS.test(path)),
  }
  const changes = await dependencyChanges(recorded, workspace)
  return changes.flatMap((change) => findingsFor(withLock(change, baseline, workspace.dir), project, workspace.dir))
}

const LISTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|Pipfile|composer\.json|Gemfile)$/

/** If nothing was installed then, the lock file itself is still in the baseline. */
function withLock(change: DependencyChange, baseline: FullBaseline, dir: string): DependencyChange {
  const { lock } = change.folder
  if (change.lockBefore !== undefined || lock === undefined) return change
  const lockBefore = baseline.read(pathFrom(dir, lock))
  return lockBefore === undefined ? change : { ...change, lockBefore }
}

const pathFrom = (dir: string, path: string) => relative(dir, path).split(sep).join('/')

function findingsFor(change: DependencyChange, project: ProjectFiles, dir: string): TamperFinding[] {
  const { folder, movedFrom } = change
  const place = pathFrom(dir, folder.path)
  if (movedFrom !== undefined) {
    const detail = `${place} led to ${movedFrom} at the start and leads to ${folder.real} now. Restore it.`
    return [{ kind: 'dependency-changed', severity: 'block', file: place, detail }]
  }
  const packages = packagesOf(change, project)
  const bad = packages.filter(({ cover }) => cover === 'none')
  const fix = remedyFor(change)
  const findings = bad.slice(0, MOST).map(({ name, file, how, why }): TamperFinding => {
    const what =
      how === 'added'
        ? `${name} was installed since the start${why === undefined ? '' : `, but ${why}`}.`
        : `The installed files of ${name} were changed since the start${why === undefined ? '' : `: ${why}`}.`
    const detail = `${what} Tests may load it. ${fix}`
    return { kind: 'dependency-changed', severity: 'block', file: `${place}/${file}`, detail }
  })
  if (bad.length > MOST) {
    const rest = bad.slice(MOST)
    const names = listOf(
      rest.map(({ name }) => name),
      NAMED,
    )
    const detail = `${count(rest.length, 'more package')} changed since the start without a change in the lock file: ${names}. ${fix}`
    findings.push({ kind: 'dependency-changed', severity: 'block', file: place, detail })
  }
  return [...findings, ...shown(packages, change, place)]
}

/** Changes that a lock file or a patch explains, as one warning. */
function shown(packages: readonly ChangedPackage[], { folder }: DependencyChange, place: string): TamperFinding[] {
  const explained = packages.filter(({ cover }) => cover === 'updated' || cover === 'patched')
  if (explained.length === 0) return []
  const names = listOf(
    explained.map(({ name }) => name),
    NAMED,
  )
  const by = explained.some(({ cover }) => cover === 'patched') ? 'a patch' : basename(folder.lock ?? 'the project')
  const detail = `${count(explained.length, 'installed package')} changed together with ${by}: ${names}. Review it.`
  return [{ kind: 'dependency-changed', severity: 'warn', file: place, detail }]
}

function packagesOf(change: DependencyChange, project: ProjectFiles): readonly ChangedPackage[] {
  const { kind } = change.folder
  if (kind === 'node') return changedNodePackages(change, project)
  if (kind === 'python') return changedPythonPackages(change, project)
  return otherPackages(change)
}

/** `vendor/name/package` in PHP; one folder elsewhere. Only the lock file as a whole is compared. */
function otherPackages({ folder, lockBefore, lockNow, modified, added }: DependencyChange): ChangedPackage[] {
  const found = new Map<string, ChangedPackage>()
  for (const path of [...modified, ...added]) {
    const parts = path.split('/')
    const name = parts.slice(0, folder.kind === 'php' && parts.length > 2 ? 2 : 1).join('/')
    if (found.has(name)) continue
    // `composer dump-autoload` writes these again for every new class.
    const isIndex = folder.kind === 'php' && (parts[0] === 'composer' || name === 'autoload.php')
    const how = modified.includes(path) ? 'modified' : 'added'
    const isCovered = isIndex || (lockNow !== undefined && lockBefore !== lockNow)
    found.set(name, { name, file: path, how, cover: isCovered ? 'updated' : 'none' })
  }
  return [...found.values()]
}

const REINSTALL: Readonly<Record<string, string>> = {
  'package-lock.json': 'npm ci',
  'npm-shrinkwrap.json': 'npm ci',
  'pnpm-lock.yaml': 'pnpm install --frozen-lockfile --force',
  'yarn.lock': 'yarn install --immutable',
  'bun.lock': 'bun install --frozen-lockfile --force',
  'bun.lockb': 'bun install --frozen-lockfile --force',
  'uv.lock': 'uv sync --reinstall',
  'poetry.lock': 'poetry sync',
  'Pipfile.lock': 'pipenv sync',
  'requirements.txt': 'pip install --force-reinstall -r requirements.txt',
  'composer.lock': 'composer install',
  'Gemfile.lock': 'bundle install --redownload',
}

function remedyFor({ folder }: DependencyChange): string {
  const command = REINSTALL[basename(folder.lock ?? '')]
  return command === undefined
    ? 'Install the dependencies again, or add it to the project.'
    : `Run \`${command}\`, or add it to the project.`
}
