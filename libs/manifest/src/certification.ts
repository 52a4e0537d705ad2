import type { Problem } from './problem.js';

/** Effect of a failed check: a blocker rejects the package, a warning is shown to the operator, advice to the developer. */
export type Severity = 'blocker' | 'warning' | 'advice';

export type CheckStatus = 'pass' | 'fail' | 'skip';

/** The outcome of one check. */
export interface CheckResult {
  id: string;
  title: string;
  severity: Severity;
  status: CheckStatus;
  /** The first finding, or why the check passed or was skipped. */
  message: string;
  /** JSON pointer of the first finding into the manifest (for REV-001 into the packet); empty for the whole document. */
  pointer: string;
  docUrl: string;
  /** The findings, sorted by pointer; empty unless the check failed. */
  findings: Problem[];
}

/** The result of the suite. */
export interface Certification {
  suiteVersion: string;
  /** Identity of the manifest; null when it has no canonical form. */
  manifestSha256: string | null;
  /** Whether no blocker failed. */
  passed: boolean;
  /** One entry per check, sorted by id. */
  checks: CheckResult[];
  summary: { passed: number; failed: number; skipped: number };
}
