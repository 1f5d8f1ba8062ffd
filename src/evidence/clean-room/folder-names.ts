import { existsSync } from 'node:fs'
import { join } from 'node:path'

const names = (list: string) => new Set(list.split(' '))

/** Folders of version control and exitgate. A copy doesn't need them. */
export const REPOSITORY_FOLDERS = names('.git .hg .svn .jj .exitgate')
/** Downloaded and only read. */
export const DEPENDENCIES = names('vendor Pods .bundle .yarn .pnpm-store site-packages bower_components __pypackages__')
/** Caches that tools write into node_modules. Each tree has its own. */
export const CACHES = names('.cache .vite .vite-temp .vitest .tmp')
/** Build output of the sources. In a copy it would bring other sources back than those of the copy. */
export const BUILD_OUTPUT = names(
  'dist build out target lib es esm cjs bin obj _build coverage htmlcov DerivedData .next .nuxt .svelte-kit .turbo .nx ' +
    '.cache .parcel-cache .gradle .idea .vs .terraform .dart_tool __pycache__ .pytest_cache .mypy_cache .ruff_cache ' +
    '.tox .nox .eggs .nyc_output tmp temp log logs',
)
export const BUILD_FILES = /\.(?:py[cod]|class|o|obj|tsbuildinfo)$/

/** Ignored JavaScript next to a TypeScript file was compiled from it. */
export function isCompiled(folder: string, path: string): boolean {
  const stem = /^(.*?)(?:\.d)?\.[cm]?[jt]sx?(?:\.map)?$/.exec(path)?.[1]
  if (stem === undefined) return false
  return ['ts', 'tsx', 'mts', 'cts'].some((ending) => existsSync(join(folder, `${stem}.${ending}`)))
}
