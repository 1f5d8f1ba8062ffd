import type { TamperFinding } from '../evidence/tampering/index.ts'
import { digest } from '../system/digest.ts'
import { type CheckedChange, isVerified, unmetChecks } from './checked-change.ts'

/** The report as SARIF 2.1.0. What belongs to a file is a result, everything else a notification of the run. */
export function sarif(change: CheckedChange): string {
  const { findings, plan, version, base } = change
  const open = unmetChecks(change).filter(([check]) => check !== 'tampering' || findings.length === 0)
  const checklist = plan === undefined ? [] : open.filter(([check]) => check === 'checklist')
  const kinds = [
    ...new Set([...findings.map(({ kind }) => kind as string), ...checklist.map(([check]) => check)]),
  ].sort()
  const results = [
    ...findings.map((finding) => resultOf(finding, kinds)),
    ...checklist.map(([check, detail]) => placed(check, 'error', detail, plan ?? '', undefined, kinds)),
  ]
  const notifications = open
    .filter(([check]) => !checklist.some(([other]) => other === check))
    .map(([check, detail]) => ({
      descriptor: { id: check },
      level: 'error',
      message: { text: detail },
    }))
  const run = {
    tool: {
      driver: {
        name: 'exitgate',
        semanticVersion: version,
        rules: kinds.map((id) => ({ id, shortDescription: { text: id.replaceAll('-', ' ') } })),
      },
    },
    invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications }],
    properties: { base, verified: isVerified(change) },
    columnKind: 'utf16CodeUnits',
    results,
  }
  const document = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function resultOf({ kind, severity, file, line, detail }: TamperFinding, kinds: readonly string[]): object {
  return placed(kind, severity === 'block' ? 'error' : 'warning', detail, file, line, kinds)
}

function placed(
  ruleId: string,
  level: 'error' | 'warning',
  text: string,
  file: string,
  line: number | undefined,
  kinds: readonly string[],
): object {
  return {
    ruleId,
    ruleIndex: kinds.indexOf(ruleId),
    level,
    message: { text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: '%SRCROOT%' },
          region: { startLine: Math.max(1, line ?? 1) },
        },
      },
    ],
    // Without the line, so that a finding that only moves keeps its identity.
    partialFingerprints: { 'exitgate/v1': digest([ruleId, file, text].join('\n')) },
  }
}

/** A relative reference. File names are escaped, so that they can't lead elsewhere or break the URL. */
function uriOf(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(part.replace(/[\ud800-\udfff]/g, (half, at: number) => paired(part, at, half))))
    .join('/')
}

/** Lone surrogates can't be encoded. */
function paired(text: string, at: number, half: string): string {
  const code = half.charCodeAt(0)
  const other = text.charCodeAt(code < 0xdc00 ? at + 1 : at - 1)
  const withoutLoneSurrogates = code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00
  return withoutLoneSurrogates ? half : '\ufffd'
}
