import type { Judge } from './run-judge.ts'

export const OPENAPI = ['@redocly/openapi-core'] as const

export interface ApiInput {
  /** Real path of the workspace: references must not lead out of it, nor into the network. */
  readonly dir: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

/** Whether each file is a valid description of an API. Runs in its own process, so it can use nothing from this file. */
export const judgeOpenApi: Judge<ApiInput> = async (load, [coreAt = ''], { dir, files }) => {
  interface Problem {
    readonly severity: string
    readonly ruleId: string
    readonly message: string
    readonly location: readonly { readonly source?: { readonly absoluteRef: string } }[]
  }
  interface Core {
    readonly BaseResolver: new () => { loadExternalRef(at: string): Promise<unknown> }
    readonly ResolveError: new (error: Error) => Error
    createConfig(raw: object): Promise<unknown>
    getLineColLocation(location: unknown): { readonly start?: { readonly line: number } }
    lintFromString(options: object): Promise<readonly Problem[]>
  }
  const core = (await load(coreAt)) as Core
  const { realpathSync } = (await load('node:fs')) as typeof import('node:fs')
  const { join, sep } = (await load('node:path')) as typeof import('node:path')
  const config = await core.createConfig({ rules: { struct: 'error', 'no-unresolved-refs': 'error' } })
  const results: { answer: 'yes' | 'no' | 'unknown'; line?: number; reason?: string }[] = []
  for (const { path, text } of files) {
    const refused: string[] = []
    class Resolver extends core.BaseResolver {
      override async loadExternalRef(at: string): Promise<unknown> {
        const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(at)
        let inside = false
        try {
          inside = !isUrl && realpathSync(at).startsWith(dir + sep)
        } catch {
          // A missing file is an error in the description itself.
          inside = !isUrl && at.startsWith(dir + sep)
        }
        if (inside) return super.loadExternalRef(at)
        refused.push(at)
        throw new core.ResolveError(new Error('it is not loaded'))
      }
    }
    const absoluteRef = join(dir, path)
    try {
      const problems = await core.lintFromString({
        source: text,
        absoluteRef,
        config,
        externalRefResolver: new Resolver(),
      })
      const errors = problems.filter(({ severity }) => severity === 'error')
      const own = errors.filter(
        ({ ruleId, message }) => ruleId !== 'no-unresolved-refs' || !/is not loaded/.test(message),
      )
      const first = own[0]
      if (first !== undefined) {
        const place = first.location[0]
        const here = place?.source?.absoluteRef === absoluteRef
        const line = here ? core.getLineColLocation(place).start?.line : undefined
        const more = own.length > 1 ? ` (and ${own.length - 1} more)` : ''
        const reason = `${first.message.replace(/\s+/g, ' ').slice(0, 200)}${more}`
        results.push({ answer: 'no', ...(line !== undefined && { line }), reason })
      } else if (refused.length > 0) {
        results.push({ answer: 'unknown', reason: `it refers to ${refused[0]}, which is not loaded` })
      } else results.push({ answer: 'yes' })
    } catch (error) {
      const reason = String(error instanceof Error ? error.message : error)
        .replaceAll(dir + sep, '')
        .replace(/\s+/g, ' ')
      const line = Number(/\((\d+):\d+\)/.exec(reason)?.[1])
      results.push({ answer: 'no', ...(line > 0 && { line }), reason: reason.slice(0, 200) })
    }
  }
  return results
}
