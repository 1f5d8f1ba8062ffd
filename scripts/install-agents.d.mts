/** The program of an agent, or why it is not there and what to do about it. */
export function agentProgram(name: string): { readonly path?: string; readonly missing?: string }
