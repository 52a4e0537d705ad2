import type { UrlOptions } from '@crm/address-policy';
import type { ManifestDraft } from './example.js';
import type { CertificationProbes } from './outbound-urls.js';
import type { Problem } from './problem.js';
import type { Manifest } from './schema/manifest.js';

/** Effect of a failed check: a blocker rejects the package, a warning is shown to the operator, advice to the developer. */
export type Severity = 'blocker' | 'warning' | 'advice';

export type CheckStatus = 'pass' | 'fail' | 'skip';

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

export interface Certification {
  suiteVersion: string;
  /** Identity of the manifest; null when it has no canonical form. */
  manifestSha256: string | null;
  passed: boolean;
  checks: CheckResult[];
  summary: { passed: number; failed: number; skipped: number };
}

export interface CheckContext {
  /** The manifest without the values of a wrong type. */
  readonly manifest: ManifestDraft;
  /** The manifest as submitted: JSON of any shape, within the size limits. */
  readonly document: unknown;
  readonly manifestSha256: string;
  readonly reviewPacket: unknown;
  readonly mode: 'certification' | 'submission';
  readonly addressPolicy: UrlOptions;
  readonly probes: CertificationProbes;
  /** The published manifest; asks the probe once, undefined without the probe. */
  publishedManifest(): Promise<Manifest | null | undefined>;
  /** The addresses of a host; asks the probe once per host, undefined without the probe, empty when there are none. */
  resolveHost(hostname: string): Promise<readonly string[] | undefined>;
}

/**
 * The findings of a check (none when it passes), or why it was not run. A check whose findings are expensive yields
 * them one by one, so that the suite can stop early.
 */
export type CheckOutcome = Iterable<Problem> | { skip: string };

/** A check of the suite. The id never changes its meaning. */
export interface Check {
  id: string;
  title: string;
  /** What a failure means; a failure with nothing but `advice` counts as advice. */
  severity: Severity;
  /** Text of the documentation page: what the check protects, and what to do when it fails. */
  doc: { why: string; fix: string };
  run(context: CheckContext): CheckOutcome | Promise<CheckOutcome>;
}
