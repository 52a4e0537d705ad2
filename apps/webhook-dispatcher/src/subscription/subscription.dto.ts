import { EVENT_PATTERNS } from '@crm/contracts';
import { BooleanField, DateTimeField, field, IdField, ListField, TextField, UrlField } from '@crm/http';
import type { SubscriptionSummary } from './subscription.repository.js';

const EVENTS = 'Names of events, or `<domain>.*` for every event of a domain, also those that are added later';
const FILTER = 'A formula over the keys of `data`; an event is delivered only if it gives TRUE';

export class CreateSubscriptionInput {
  @ListField(field.enum(EVENT_PATTERNS), { minItems: 1, description: EVENTS, example: ['lead.*', 'deal.won'] })
  events: string[];

  @UrlField({ description: 'An https URL with a public host', example: 'https://hooks.example.com/crm' })
  url: string;

  @TextField({ maxLength: 500, optional: true, nullable: true })
  description?: string | null;

  @TextField({ maxLength: 4000, optional: true, nullable: true, description: FILTER, example: 'status == "new"' })
  filter?: string | null;
}

export class UpdateSubscriptionInput {
  @ListField(field.enum(EVENT_PATTERNS), {
    minItems: 1,
    optional: true,
    description: EVENTS,
    example: ['lead.created', 'deal.won'],
  })
  events?: string[];

  @UrlField({ optional: true, example: 'https://hooks.example.com/crm' })
  url?: string;

  @TextField({ maxLength: 500, optional: true, nullable: true })
  description?: string | null;

  @TextField({ maxLength: 4000, optional: true, nullable: true, description: FILTER })
  filter?: string | null;

  @BooleanField({ optional: true, description: 'Enabling a subscription forgets its past failures' })
  enabled?: boolean;
}

export class SubscriptionView {
  @IdField()
  id: string;

  @ListField(field.text({ maxLength: 80 }), { description: EVENTS })
  events: string[];

  @TextField({ maxLength: 2048 })
  url: string;

  @TextField({ maxLength: 500, nullable: true })
  description: string | null;

  @TextField({ maxLength: 4000, nullable: true, description: FILTER })
  filter: string | null;

  @BooleanField()
  enabled: boolean;

  @TextField({ maxLength: 500, nullable: true })
  disabledReason: string | null;

  @TextField({
    maxLength: 200,
    nullable: true,
    description: 'Key of the app it belongs to; null for a subscription of the workspace',
  })
  appKey: string | null;

  @DateTimeField()
  createdAt: string;
}

export class CreatedSubscriptionView extends SubscriptionView {
  @TextField({ maxLength: 100, description: 'The signing secret; shown only once' })
  secret: string;
}

export class SecretView {
  @TextField({
    maxLength: 100,
    description: 'The new signing secret; shown only once. The previous secret stays valid for one more day',
  })
  secret: string;
}

export const subscriptionView = (subscription: SubscriptionSummary): SubscriptionView => ({
  id: subscription.id,
  events: [...subscription.events],
  url: subscription.url,
  description: subscription.description,
  filter: subscription.filter,
  enabled: subscription.enabled,
  disabledReason: subscription.disabledReason,
  appKey: subscription.appKey,
  createdAt: subscription.createdAt.toISOString(),
});
