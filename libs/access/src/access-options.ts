import type { Audience } from '@crm/contracts';
import type { KeySource } from './key-source.js';
import type { RevocationSource } from './revocation-source.js';

export interface AccessOptions {
  /** Exact `iss` of every token. */
  readonly issuer: string;
  /** Audiences accepted over HTTP. */
  readonly audiences: readonly Audience[];
  /** The source of the keys; default: the application's provider of KeySource. */
  readonly keySource?: KeySource;
  /** The source of the cut-offs; default: the application's provider of RevocationSource. */
  readonly revocations?: RevocationSource;
}

export const ACCESS_OPTIONS = Symbol('crm:access-options');
