export function readCorpus(folder: string): readonly {
  readonly id: string
  readonly language: string
  readonly tampered: boolean
  readonly weaker: boolean
  readonly kinds: readonly string[]
  readonly before: { readonly paths: readonly string[]; read(path: string): string | undefined }
  readonly after: { readonly paths: readonly string[]; read(path: string): string | undefined }
}[]
