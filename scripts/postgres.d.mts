/** The folder of PostgreSQL's programs, or why there is none and what to do about it. */
export function postgresPrograms(): { readonly bin?: string; readonly missing?: string }

export interface PostgresServer {
  /** With the password of its owner: for the database `postgres`. */
  readonly url: string
  /** The process that is running now. */
  readonly pid: number
  /** In order, with every connection closed. */
  stop(): Promise<void>
  /** As a power failure would. */
  kill(): Promise<void>
  /** Again, with the same folder and port. */
  start(): Promise<void>
  restart(): Promise<void>
}

/** A PostgreSQL of our own in this folder, on loopback alone. It ends with this process unless it is to stay. */
export function startPostgres(options: {
  readonly dir: string
  /** Without durability: for tests. */
  readonly fast?: boolean
  readonly stay?: boolean
  readonly port?: number
}): Promise<PostgresServer>
