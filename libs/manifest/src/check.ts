import type { UrlOptions } from '@crm/address-policy';
import type { Severity } from './certification.js';
import type { ManifestDraft } from './draft.js';
import type { CertificationProbes } from './probes.js';
import type { Problem } from './problem.js';
import type { Manifest } from './schema/manifest.js';

/** What a check works with. */
export interface CheckContext {
  /** What of the manifest has the right type. */
  readonly manifest: ManifestDraft;
  /** The manifest as given; admitted JSON, of any shape. */
  readonly document: unknown;
  readonly manifestSha256: string;
  readonly reviewPacket: unknown;
  readonly mode: 'certification' | 'submission';
  readonly addressPolicy: UrlOptions;
  readonly probes: CertificationProbes;
  /** The published manifest, asked once; undefined without the probe. */
  publishedManifest(): Promise<Manifest | null | undefined>;
  /** The addresses of a host, asked once for each; undefined without the probe, empty when there is none. */
  resolveHost(hostname: string): Promise<readonly string[] | undefined>;
}

/**
 * The findings of a check (none when it passes), or why it was not run. A check whose findings cost something
 * yields them, so that the suite can stop asking.
 */
export type CheckOutcome = Iterable<Problem> | { skip: string };

/** A check of the suite. The id never changes its meaning. */
export interface Check {
  id: string;
  title: string;
  severity: Severity;
  /** For the page of the check: what it protects, and what to do when it fails. */
  doc: { why: string; fix: string };
  run(context: CheckContext): CheckOutcome | Promise<CheckOutcome>;
}
