import { posix } from 'node:path'
import { languageOf } from '../../test-files.ts'

/** Whether a file is read by a shell; so is one that says nothing about what reads it. */
export function isShell(path: string, text: string): boolean {
  if (/\.(?:sh|bash|zsh|ksh)$/.test(path) || /^#!.*\b(?:ba|z|da|k|a)?sh\b/.test(text)) return true
  return languageOf(path) === undefined && !/^#!/.test(text) && !/\.\w+$/.test(posix.basename(path))
}

const MOST_STRINGS = 200
/** A folder of the product: what stands there is the work, not what judges it. */
const PRODUCT = /(?:^|\/)(?:src|lib|app|dist|build|packages|pkg|cmd|internal)(?:\/|$)/

/** What the strings of a program name that it may start: command lines, shell scripts, and modules of its own folder. */
export function stringsIn(path: string, text: string): string[] {
  const home = posix.dirname(path)
  const own = home !== '.' && !PRODUCT.test(home)
  const found: string[] = []
  for (const [, , string = ''] of text.matchAll(/(["'`])((?:(?!\1)[^\\\n]){2,300})\1/g)) {
    if (found.length >= MOST_STRINGS) break
    if (/^(?:sh|bash|node|python\d?|npm|pnpm|yarn|make|just|\.\/)\s*\S* /.test(string)) found.push(string)
    else if (/^[\w@./-]+\.(?:sh|bash)$/.test(string)) found.push(string)
    else if (own && /^(?:\.\/)?[\w@-]+\.(?:[cm]?[jt]s|py|rb)$/.test(string)) found.push(posix.join('./', string))
  }
  return found
}

/** Whether a program is there to test: by its name, or by what it does when it is no part of the product. */
export function isTestProgram(path: string, text: string): boolean {
  const name = posix.basename(path)
  if (/(?:^|[\W_])(?:tests?|checks?|specs?|verify|ci|suite|e2e|smoke|unit|qa|validate|selftest)(?:[\W_]|$)/i.test(name))
    return true
  return (
    !PRODUCT.test(posix.dirname(path)) &&
    /child_process|subprocess|\bos\.system|unittest|pytest|node:test|\bassert\b|\bexeca\b/.test(text)
  )
}
