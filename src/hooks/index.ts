import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import type { HookClient } from './hook-client.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** Every agent CLI that can ask exitgate before its agent stops. */
export const HOOK_CLIENTS: readonly HookClient[] = [claude, codex, gemini, copilot, cursor, opencode, pi, qwen, droid]
