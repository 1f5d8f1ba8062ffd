/** The program of an agent, or why it is not there and what to do about it. */
export function agentProgram(name: string): { readonly path?: string; readonly missing?: string }

/** The agents that the tests can install, with the versions whose output was checked. */
export const AGENTS: Readonly<Record<string, { readonly package: string; readonly version: string }>>

/** When the tests last ran with these agents. */
export const AGENTS_TESTED: string
