import type { EgressPhase } from '@crm/egress';

/** Where an attempt without an answer can fail, in the order in which an attempt goes through them. */
export const ATTEMPT_PHASES = ['policy', 'dns', 'connect', 'tls', 'headers', 'body'] as const satisfies EgressPhase[];
