import type { Git } from './checkpoint-index.ts'

/** The one filter that people install into a repository; the program is git's own neighbour on the search path. */
const TRUSTED = new Set(['git-lfs clean -- %f', 'git-lfs filter-process', 'git-lfs smudge -- %f', 'true', 'false'])

/**
 * Settings that keep git from running programs which the repository itself names for changing files on their way into it: the agent
 * can write those. Filters from the user's own settings stay. A sentence when a name cannot be told to git.
 */
export async function withoutFilters(git: Git): Promise<readonly string[] | string> {
  const { out, problem } = await git(['config', '-z', '--show-scope', '--list'])
  if (problem !== undefined) return problem
  const fields = out.split('\0')
  const names = new Set<string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n')
    const name = /^filter\.(.+)\.(?:clean|process|smudge|required)$/s.exec(key)?.[1]
    const isTheirs = fields[at] === 'local' || fields[at] === 'worktree'
    if (name !== undefined && isTheirs && !TRUSTED.has(value.join('\n'))) names.add(name)
  }
  const odd = [...names].find((name) => /[=\n]/.test(name))
  if (odd !== undefined) return `The repository names a filter ${JSON.stringify(odd)}, which cannot be switched off.`
  return [...names].flatMap((name) =>
    ['clean=', 'process=', 'required=false'].flatMap((setting) => ['-c', `filter.${name}.${setting}`]),
  )
}
