/** Builds `dist` if the sources have changed since it was built. Only one process builds at a time. */
export function ensureBuilt(root: string, log: (line: string) => void): Promise<void>
