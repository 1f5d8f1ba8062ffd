/** The node binary of another major version, fetched once by package name. */
export function nodeBinary(
  major: string | number,
  log?: (line: string) => void,
): Promise<{ readonly path?: string; readonly skipped?: string; readonly failed?: boolean }>
