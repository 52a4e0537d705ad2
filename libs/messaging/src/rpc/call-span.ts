import { PlatformError, type RpcContract } from '@crm/contracts';
import type { Span, SpanDescription } from '@crm/telemetry';

const describe = ({ subject, server }: RpcContract, kind: 'client' | 'server'): SpanDescription => ({
  name: subject,
  kind,
  attributes: { 'rpc.system.name': 'nats', 'rpc.method': subject, 'server.address': server },
});

export const describeCall = (contract: RpcContract): SpanDescription => describe(contract, 'client');

export const describeServedCall = (contract: RpcContract): SpanDescription => describe(contract, 'server');

/** @param code `ok`, or that of the error in the reply */
export function endCall(span: Span | undefined, code: string, error?: unknown): void {
  if (!span) return;
  span.set('rpc.response.status_code', code);
  if (code !== 'ok') span.fail(error instanceof PlatformError ? error : code);
  span.end();
}
