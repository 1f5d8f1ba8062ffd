/** The result of an event, or undefined if it doesn't arrive in time. */
export function withTimeout<T>(ms: number, event: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([event, late]).finally(() => clearTimeout(timer))
}
