import { newId } from '@crm/database';
import type { DeliveryBody } from '../delivery/delivery-body.js';
import type { Receiver } from '../receiver/receiver.js';

/**
 * Type of a test event. It is no event of the vocabulary: nobody subscribes to it, it starts no workflow, and it is in no
 * ledger.
 */
export const TEST_EVENT_TYPE = 'webhook.test';

/** The body of a test event: like that of a delivery, with an id of its own. */
export function testEvent({ tenantId, subscriptionId, url, events }: Receiver): DeliveryBody {
  return {
    id: newId(),
    type: TEST_EVENT_TYPE,
    timestamp: new Date().toISOString(),
    tenantId,
    dataschema: `urn:crm:event:${TEST_EVENT_TYPE}:v1`,
    data: { subscription: { id: subscriptionId, url, events } },
  };
}
