const KEY = 'exitgate-token'

/** The token from the address, or the one this tab had before. It leaves the address at once: that is seen, kept and handed on. */
export function takeToken(): string | undefined {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given)
    history.replaceState(null, '', location.pathname)
  }
  return given ?? sessionStorage.getItem(KEY) ?? undefined
}

export const withToken = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
