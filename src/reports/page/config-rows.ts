import type { Config } from '../../core/config.ts'
import type { SafeText } from './safe-text.ts'

const MOST = 600

/** Every value by its dotted path. A webhook address often contains a secret, so only its host is shown. */
export function configRows(config: Config | undefined, safe: SafeText): readonly (readonly [string, string])[] {
  if (config === undefined) return []
  return leaves(config, '')
    .slice(0, MOST)
    .map(([path, value]) => [safe.line(path, 200), path.endsWith('webhook') ? hostOf(value) : safe.line(value, 500)])
}

function leaves(value: object, before: string): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    const path = before === '' ? key : `${before}.${key}`
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return leaves(each, path)
    if (each === undefined || (Array.isArray(each) && each.length === 0)) return []
    return [[path, typeof each === 'string' ? each : JSON.stringify(each)] as const]
  })
}

function hostOf(address: string): string {
  const host = /^[a-z]+:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/i.exec(address)?.[1]
  return host === undefined ? '[hidden]' : `${host} (path hidden)`
}
