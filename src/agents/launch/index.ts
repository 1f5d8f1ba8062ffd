import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import type { Launcher } from './launcher.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

/** Every agent that `--agent` accepts. */
export const LAUNCHERS: readonly Launcher[] = [claude, codex, gemini, opencode, pi]
