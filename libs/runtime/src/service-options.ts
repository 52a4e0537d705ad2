import type { KeySource, RevocationSource } from '@crm/access';
import type { Audience } from '@crm/contracts';
import type { RouteEntry } from '@crm/http';

export interface ServiceOptions {
  /** Audiences accepted over HTTP; default `platform-api`. */
  readonly audiences?: readonly Audience[];
  /**
   * The source of public keys: `rpc` calls identity (the default), `own` uses the KeySource provider of the service's
   * module, an instance is used directly (tests).
   */
  readonly keySource?: 'rpc' | 'own' | KeySource;
  /** Cut-offs to check instead of messaging's (tests). */
  readonly revocations?: RevocationSource;
  /** `false` for an edge that answers `/api/openapi.json` itself. */
  readonly openApi?: boolean;
  /** Routes that an edge forwards, for `/routes`. */
  readonly forwarded?: readonly RouteEntry[];
  /** How often the files of the certificate are looked at (tests). */
  readonly certificateEveryMs?: number;
}
