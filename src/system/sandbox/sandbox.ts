import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path'
import type { Environment } from '../environment.ts'

/** What a command in a sandbox may see and change. All paths are absolute. */
export interface SandboxRules {
  /** The folder in which the command starts. */
  readonly cwd: string
  /** Files and folders that the command may change. */
  readonly writable: readonly string[]
  /** Files and folders that it may read although they are in a hidden place. In a writable folder they stay read-only. */
  readonly readable: readonly string[]
  /** Folders that it must not see: they are empty for it. */
  readonly hidden: readonly string[]
  /** A private folder that takes the place of the user's home. */
  readonly home: string
  /** A private folder that takes the place of the temporary folders. */
  readonly tmp: string
  /** Folders that appear under another path. Only for a sandbox that can do that. */
  readonly mounts?: readonly SandboxMount[]
  readonly network: boolean
}

export interface SandboxMount {
  readonly from: string
  /** The path for the command. */
  readonly to: string
  readonly writable: boolean
}

/** One way to run a command apart from the rest of the machine. A new one is a file with one of these, and a line in choose.ts. */
export interface Sandbox {
  readonly name: string
  /** Whether it can show a folder under another path. */
  readonly canMount: boolean
  /** Whether all processes of a command end with it, so that none is left to stop. */
  readonly endsAll: boolean
  /** The command line that runs `argv` by these rules. It is started with `env` as its whole environment. */
  wrap(argv: readonly string[], rules: SandboxRules, env: Readonly<Record<string, string>>): readonly string[]
  /** Ends what killing the started process does not end. */
  end?(argv: readonly string[]): void
}

/** Whether a path is the folder itself or below it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

export const realHome = (env: Environment): string => realPath(env.HOME || homedir())

/** A command gets a private folder in their place. */
export const temporaryFolders = (env: Environment): readonly string[] => [
  ...['/tmp', '/var/tmp'],
  ...(env.TMPDIR ? [env.TMPDIR] : []),
]

/** Whether a path, or what it leads to, is in one of the folders. */
export const isInOneOf = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => isInside(realPath(folder), realPath(path)))

/** The path without links; as it is where it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** Programs and package caches that people keep in their home. Nothing here holds a login. */
const TOOLCHAINS = (
  '.nvm .fnm .volta .asdf .n .bun .deno .mise .proto .pyenv .rbenv .rvm .nodenv .goenv .jenv .sdkman .rustup .cargo/bin .cargo/registry ' +
  '.cargo/git .cargo/env .cargo/config.toml go .npm-global .yarn .pnpm-store .pub-cache .dotnet .nuget/packages .m2/repository .m2/wrapper .gradle/wrapper ' +
  '.gradle/caches .ivy2 .sbt .cabal/bin .ghcup .opam .stack .gem/ruby .local/share/gem .bundle/cache .composer/vendor .linuxbrew .nix-profile .local/bin ' +
  '.local/lib .local/share/fnm .local/share/mise .local/share/pnpm .local/share/uv .local/share/virtualenvs .local/share/pypoetry .local/pipx .local/share/pipx ' +
  '.cache/ms-playwright .cache/Cypress .cache/puppeteer .cache/pypoetry .cache/uv .cache/pip .cache/deno Library/Python Library/pnpm ' +
  'Library/Caches/ms-playwright Library/Caches/Cypress'
).split(' ')

/** Copied rather than shown: programs replace these files by renaming another one over them. */
export const COPIED_SETTINGS: readonly string[] = ['.gitconfig', '.config/git/config', '.config/git/ignore']

/**
 * What stays readable of a hidden home: programs in the usual places, and the folders of PATH with what is next to them, because
 * `bin/node` needs `lib/node_modules`.
 */
export function toolchainsIn(home: string, env: Environment): readonly string[] {
  const usual = TOOLCHAINS.map((path) => join(home, path))
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && isInside(home, folder))
    .flatMap((folder) => {
      const around = dirname(folder)
      const isPackage = /(?:^|\/)(?:bin|shims)$/.test(folder) && around !== home && dirname(around) !== home
      return isPackage ? [around] : [folder]
    })
  return outermost([...usual, ...onPath].filter((path) => existsSync(path)))
}

/** Without paths that are below another one of the list. */
export function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort()
  return sorted.filter((path, at) => !sorted.slice(0, at).some((other) => isInside(other, path)))
}
