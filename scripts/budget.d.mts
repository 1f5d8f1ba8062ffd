export type Budget = Readonly<Record<string, number>>
export function readBudget(root: string): Budget
export function sourceLines(root: string): ReadonlyMap<string, number>
export function linesIn(folder: string, files: ReadonlyMap<string, number>): number
export function earlierBudgets(root: string): readonly Budget[]
export function raised(budget: Budget, earlier: readonly Budget[]): readonly string[]
export function budgetLine(root: string): string
