import type { EgressErrorCode, EgressPhase } from '@crm/egress';

/** Where attempts fail that get no answer; null for codes that are the same in several phases. */
const PHASE_OF: Readonly<Record<EgressErrorCode, EgressPhase | null>> = {
  blocked: 'policy',
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  // Its time limit covers looking up the name, TCP and TLS.
  timeout_connect: null,
  timeout_headers: 'headers',
  timeout_body: 'body',
  timeout_total: null,
  // A body that is too long is truncated, so only headers fail with it.
  too_large: 'headers',
  http_protocol: null,
  reset: null,
};

export const ATTEMPT_PHASES = ['policy', 'dns', 'connect', 'tls', 'headers', 'body'] as const satisfies EgressPhase[];

/** @returns null for a code of an attempt that was answered, and for one that does not say where the attempt failed */
export function phaseOf(errorCode: string): EgressPhase | null {
  return Object.hasOwn(PHASE_OF, errorCode) ? PHASE_OF[errorCode as EgressErrorCode] : null;
}
