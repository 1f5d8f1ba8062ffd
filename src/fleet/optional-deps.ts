import { FleetError } from './errors.ts'

type Pg = Pick<typeof import('pg'), 'Pool'>
type Dbos = typeof import('@dbos-inc/dbos-sdk')

/** Packages only the fleet needs are not installed with exitgate. */
export async function postgresClient(): Promise<Pg> {
  try {
    const { Pool } = await import('pg')
    return { Pool }
  } catch (error) {
    throw missing('pg', error)
  }
}

export async function dbos(): Promise<Dbos> {
  try {
    return await import('@dbos-inc/dbos-sdk')
  } catch (error) {
    throw missing('@dbos-inc/dbos-sdk', error)
  }
}

function missing(name: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error
  return new FleetError(`exitgate fleet needs ${name}. Run npm install pg @dbos-inc/dbos-sdk.`)
}
