import type { Plugin } from 'rolldown'

/** The compiled script and the style sheet of the report's page, as modules that hold them as text. */
export function pageParts(): Plugin
