/** Iterations whose details are decoded together. */
export const TOGETHER = 64
