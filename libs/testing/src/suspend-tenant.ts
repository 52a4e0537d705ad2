import type { Revocation } from '@crm/contracts';
import { NatsConnection, RevocationPublisher } from '@crm/messaging';
import { testNats } from './test-nats.js';

/** Tells every service of the test that a tenant is suspended, as identity does. */
export const suspendTenant = (tenantId: string): Promise<void> => publish('suspension', tenantId);

/** Tells every service that it no longer is. Its tokens are accepted again: identity would also cut off those from before. */
export const reinstateTenant = (tenantId: string): Promise<void> => publish('reinstatement', tenantId);

async function publish(kind: Revocation['kind'], id: string): Promise<void> {
  const { url, passwords } = testNats();
  const connection = await NatsConnection.open({
    url,
    user: 'identity',
    password: passwords.identity,
    service: 'identity',
  });
  try {
    await new RevocationPublisher(connection).publish({ kind, id, cutoffMs: Date.now() });
  } finally {
    await connection.close();
  }
}
