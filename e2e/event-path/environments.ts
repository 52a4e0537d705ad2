import { TEST_ISSUER } from '@crm/testing';
import type { Broker } from './broker.js';
import type { DatabaseOwner, Databases } from './databases.js';
import type { Endpoints } from './endpoints.js';
import { WEBHOOK_RETRY_DELAYS } from './retries.js';

/**
 * Makes the databases, and says what each service is told when it starts.
 * @param caFile where the authority of the endpoints stands
 * @param build whose migrations make them
 */
export async function provisionEventPath(
  databases: Databases,
  broker: Broker,
  endpoints: Endpoints,
  caFile: string,
  build?: string,
): Promise<Record<DatabaseOwner, NodeJS.ProcessEnv>> {
  const common = {
    PROFILE: 'development',
    TOKEN_ISSUER: TEST_ISSUER,
    NATS_URL: broker.url,
    NATS_PASSWORD: broker.password,
    DRAIN_SECONDS: '1',
  };
  const provisioned = await databases.provision(broker.provisioner, build);
  return {
    'custom-objects': { ...common, ...provisioned['custom-objects'] },
    'webhook-dispatcher': {
      ...common,
      ...provisioned['webhook-dispatcher'],
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      EGRESS_ALLOW: endpoints.all.map(({ url }) => new URL(url).host).join(),
      EGRESS_CA_FILE: caFile,
      WEBHOOK_RETRY_DELAYS,
    },
  };
}
