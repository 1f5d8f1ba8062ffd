export function openCorpus<Row>(
  path: string | undefined,
  name: string,
  isWanted: (row: Row) => boolean,
): { readonly rows: readonly Row[]; readonly absent?: never } | { readonly rows?: never; readonly absent: string }
