import type { KeySource, RevocationSource } from '@crm/access';
import type { Audience } from '@crm/contracts';

export interface ServiceOptions {
  /** Audiences accepted over HTTP; `platform-api` unless said otherwise. */
  readonly audiences?: readonly Audience[];
  /**
   * Where public keys come from: `rpc` asks identity (the default), `own` uses the provider of KeySource in the
   * service's own module, an instance is used as it is (tests).
   */
  readonly keySource?: 'rpc' | 'own' | KeySource;
  /** Cut-offs to check instead of messaging's (tests). */
  readonly revocations?: RevocationSource;
  /** `false` for an edge that answers `/api/openapi.json` itself. */
  readonly openApi?: boolean;
}
