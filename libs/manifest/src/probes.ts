import type { Manifest } from './schema/manifest.js';

/** Who owns the key of a package, from the publisher's point of view. */
export type KeyOwnership = 'free' | 'own' | 'other';

/**
 * Answers that the suite cannot find in the package. Each probe is optional; a check without its probe is reported as
 * skipped. When a probe rejects, the certification rejects, because the answer is unknown; only
 * {@link CertificationProbes.resolveHost} may reject for a name that does not resolve.
 */
export interface CertificationProbes {
  /** Whether the key is free, or belongs to this publisher or to another one. */
  keyOwnership?: (key: string) => Promise<KeyOwnership>;
  /** Every version of the key that was ever submitted. */
  submittedVersions?: (key: string) => Promise<readonly string[]>;
  /** The manifest of the published version, or null when none is published. */
  publishedManifest?: (key: string) => Promise<Manifest | null>;
  /**
   * All addresses of a host name; empty or a rejection when there are none. Called for at most a hundred names, all
   * at once.
   */
  resolveHost?: (hostname: string) => Promise<readonly string[]>;
}
