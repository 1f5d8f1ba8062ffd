/** The browser for the tests, or why there is none and what to do about it. */
export function browserProgram(): { readonly path?: string; readonly missing?: string }
