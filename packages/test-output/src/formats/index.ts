import type { TextReader } from '../types.ts'
import { go } from './go.ts'
import { javascript } from './javascript.ts'
import { managed } from './managed.ts'
import { native } from './native.ts'
import { python } from './python.ts'
import { scripting } from './scripting.ts'
import { tap } from './tap.ts'

/** Independent of each other. If two recognise the same line, the earlier one wins. */
export const textReaders: readonly TextReader[] = [javascript, python, go, native, managed, scripting, tap].flat()
