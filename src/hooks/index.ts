import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import type { Host } from './host.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

/** Every program that can be told to ask us before it lets its agent stop. */
export const HOSTS: readonly Host[] = [claude, codex, gemini, copilot, cursor, opencode, pi]
