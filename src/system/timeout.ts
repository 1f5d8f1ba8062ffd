/** What the event brings, or nothing when it does not come in time. */
export function within<T>(ms: number, event: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([event, late]).finally(() => clearTimeout(timer))
}
