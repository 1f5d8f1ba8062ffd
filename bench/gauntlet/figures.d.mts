import type { JudgedRun, Run, Scenario } from './types.d.mts'

export function judgeRun(
  run: Run,
  facts: {
    readonly scenario: Pick<Scenario, 'name' | 'class'>
    readonly walked: { readonly doneAt?: number | undefined; readonly standstillAt: number; readonly testMs?: number }
    readonly judge: { isDone(tree: string | undefined): Promise<boolean> }
  },
): Promise<JudgedRun>
