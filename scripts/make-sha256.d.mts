export const sha256Module: string
