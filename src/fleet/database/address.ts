type Environment = Readonly<Record<string, string | undefined>>

/**
 * The address with all that the driver would take from variables. A worker takes its environment away before most of its connections
 * are made; one that was meant to be encrypted must not become a plain one by that.
 */
export function wholeAddress(url: string, env: Environment): string {
  if (!URL.canParse(url)) return url
  const whole = new URL(url)
  if (whole.hostname === '' && !whole.searchParams.has('host') && env.PGHOST) {
    // A folder with a socket is no part of an address, and a parameter is read as well.
    if (env.PGHOST.startsWith('/')) whole.searchParams.set('host', env.PGHOST)
    else whole.hostname = env.PGHOST
  }
  if (whole.hostname !== '') {
    if (whole.port === '' && env.PGPORT) whole.port = env.PGPORT
    if (whole.username === '' && env.PGUSER) whole.username = encodeURIComponent(env.PGUSER)
    if (whole.password === '' && env.PGPASSWORD) whole.password = encodeURIComponent(env.PGPASSWORD)
  }
  if (whole.pathname.length < 2 && env.PGDATABASE) whole.pathname = `/${encodeURIComponent(env.PGDATABASE)}`
  const speaksOfTls = [...whole.searchParams.keys()].some((name) => name.startsWith('ssl'))
  if (!speaksOfTls && env.PGSSLMODE) whole.searchParams.set('sslmode', env.PGSSLMODE)
  return whole.href
}
