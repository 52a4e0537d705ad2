import type { SpanDescription } from '@crm/telemetry';
import type { Upstream } from '../routing/routing.js';

/** A request on its way to a service. Its path may have the secret of a hook, so that it is not part of this. */
export interface Forwarding {
  readonly method: string;
  readonly upstream: Upstream;
}

export const describeForwarding = ({ method, upstream }: Forwarding): SpanDescription => ({
  name: `${method} ${upstream}`,
  kind: 'client',
  attributes: { 'http.request.method': method, 'server.address': upstream },
});
