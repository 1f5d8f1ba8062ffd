import type { Environment } from '../../system/environment.ts'

/** The world as a notification sees it. */
export interface NotifyIo {
  /** Where a person would look: nothing is written to it unless it is a terminal. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined }
  readonly env: Environment
  readonly platform: string
  /** Folder of the workspace. */
  readonly workspace: string
}
