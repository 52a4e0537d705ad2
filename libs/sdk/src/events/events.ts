// Fields that the platform adds later may appear as well.
import type { EventDataByType } from '../generated/events.js';

export type {
  Change,
  CompanyRecord,
  ContactRecord,
  CustomRecord,
  EventDataByType,
  LeadRecord,
  OpportunityRecord,
  RecordHead,
  TaskRecord,
} from '../generated/events.js';

export type EventType = keyof EventDataByType;
export type InstallationData = EventDataByType['app.installed'];
export type UserData = EventDataByType['user.created'];

interface EventHead {
  /** Id of the event, and the header `webhook-id`: the same in each delivery and attempt. */
  id: string;
  /** When it happened, ISO 8601, UTC; not when it was sent. */
  timestamp: string;
  tenantId: string;
}

/**
 * The body of a delivery. `event.type` narrows `event.data`. A receiver gets the types it subscribes to, and ignores those
 * it does not know.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: EventHead & { type: T; data: EventDataByType[T] } & (T extends `record.${string}`
      ? {
          /** API name of the custom object. */
          object: string;
        }
      : unknown);
}[Type];
