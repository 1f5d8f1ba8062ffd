/** Services whose content outlives a run of the tests. */
const SERVICES =
  /\b(?:postgres\w*|postgis|timescale\w*|mysql|mariadb|percona|mongo(?:db)?|redis|valkey|elasticsearch|opensearch|rabbitmq|kafka|cassandra|clickhouse\w*|cockroach\w*|mssql|neo4j|minio|dynamodb\w*)\b/i
const COMPOSE = /^(?:docker-)?compose[\w.-]*\.ya?ml$/
const SETTINGS = /^\.env(?:\.(?:local|tests?|testing|ci|defaults?))*$/
const NAMES =
  /^(?:\w*_)?(?:DATABASE|DB|POSTGRES\w*|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|ELASTICSEARCH|KAFKA\w*|CLICKHOUSE)_(?:URL|URI|DSN|HOST|BROKERS?)$|^PGHOST$/
/** A database in a file or in memory is a part of the copy in which the tests run. */
const OWN =
  /^["']?(?:sqlite|file:|jdbc:(?:sqlite|h2:(?:mem|file))|duckdb|.*:memory:)|\.(?:db|sqlite3?)["']?$|^["']?["']?$/i

/**
 * Where a service is set that runs of the tests may share: the name of a variable, or the path of a settings or Compose file. Undefined
 * if nothing shows one.
 */
export function sharedService(
  { paths, read }: { readonly paths: readonly string[]; read(path: string): string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const isShared = ([name, value = '']: readonly [string, string | undefined]) => NAMES.test(name) && !OWN.test(value)
  const inEnvironment = Object.entries(environment).find(isShared)?.[0]
  if (inEnvironment !== undefined) return inEnvironment
  for (const path of paths) {
    const lines = SETTINGS.test(path) ? (read(path) ?? '').split('\n') : []
    const found = lines.find((line) => {
      const [, name, value] = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      return name !== undefined && isShared([name, value])
    })
    if (found !== undefined) return path
    if (!COMPOSE.test(path)) continue
    const images = (read(path) ?? '').match(/^\s*image:\s*\S+/gm) ?? []
    if (images.some((image) => SERVICES.test(image))) return path
  }
  return undefined
}
