import { explained } from '../../fleet/database/connect.ts'

/** What went wrong with the database, as a person is told it: with a remedy, and never with the password of the address. */
export function trouble(error: unknown, url: string): unknown {
  const told = explained(error)
  const hide = hider(url)
  if (!(told instanceof Error)) return typeof told === 'string' ? hide(told) : told
  told.message = hide(told.message)
  if (told.stack !== undefined) told.stack = hide(told.stack)
  return told
}

/** Takes the password of an address out of a text, as it stands in the address and as it is meant. */
export function hider(url: string): (text: string) => string {
  const written = URL.canParse(url) ? new URL(url).password : ''
  // What is as short as a syllable stands in every sentence.
  if (written.length < 4) return (text) => text
  const forms = [...new Set([written, decoded(written)])]
  return (text) => forms.reduce((left, form) => left.replaceAll(form, '[password]'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
