export interface Prose {
  readonly kind: 'comment' | 'message' | 'title' | 'paragraph' | 'heading'
  readonly line: number
  readonly text: string
}
export function problemsIn(file: string, prose?: readonly Prose[]): readonly string[]
