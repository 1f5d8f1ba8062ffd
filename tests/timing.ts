/**
 * How much slower this machine is now than an idle one, measured once at the start of the run (vitest.config.ts).
 * Only for upper bounds that end a hanging test; no test asserts that something is fast.
 */
const slowness = Number(process.env.TEST_SLOWNESS ?? 1)

/** A timeout in milliseconds, longer on a slow or busy machine. */
export const patience = (ms: number): number => Math.ceil(ms * slowness)
