import type { EventName } from '@crm/contracts';
import { newId } from '@crm/database';
import type { DeliveryBody } from '../delivery/delivery-body.js';
import { EVENT_TYPES } from '../event-type/event-type.js';

/** The example of an event in the catalogue, as something that happens now in a workspace. */
export function sampleEvent(name: EventName, tenantId: string): DeliveryBody {
  const type = EVENT_TYPES.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`The catalogue has no event ${name}`);
  return { ...type.example, id: newId(), timestamp: new Date().toISOString(), tenantId };
}
