import type { Manifest } from './schema/manifest.js';

/** Who holds the key of a package. */
export type KeyOwnership = 'free' | 'own' | 'other';

/**
 * What the suite cannot know from the package alone. Each probe is optional; a check without the probe it
 * needs is reported as skipped. A probe that rejects makes the certification reject, since its answer is not
 * known; only {@link CertificationProbes.resolveHost} may reject for a name that does not resolve.
 */
export interface CertificationProbes {
  /** Whether the key belongs to nobody, to the publisher who asks, or to another one. */
  keyOwnership?: (key: string) => Promise<KeyOwnership>;
  /** Every version of the key that was ever submitted. */
  submittedVersions?: (key: string) => Promise<readonly string[]>;
  /** The manifest of the published version, or null when none is published. */
  publishedManifest?: (key: string) => Promise<Manifest | null>;
  /**
   * All addresses of a host name; empty or a rejection when there is none. It is asked for a hundred names at most, all
   * at once.
   */
  resolveHost?: (hostname: string) => Promise<readonly string[]>;
}
