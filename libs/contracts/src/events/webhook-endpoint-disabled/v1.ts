import Type from 'typebox';
import { defineEvent } from '../define.js';

const Subscription = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  events: Type.Array(Type.String(), {
    description: 'What it subscribes to: names of events and of domains (`lead.*`)',
  }),
  createdBy: Type.String({
    format: 'uuid',
    description: 'The user who created it; of a subscription of an app, the user who installed the app',
  }),
  appKey: Type.Optional(
    Type.String({ description: 'Key of the app it belongs to; missing for a subscription of the workspace' }),
  ),
});

/**
 * Its envelope names the app that the endpoint belongs to in `appkeys`, and none for an endpoint of the tenant, so that no
 * other app receives it (`isVisibleToApp`).
 */
export const webhookEndpointDisabledV1 = defineEvent({
  name: 'webhook.endpoint_disabled',
  version: 1,
  producer: 'webhook-dispatcher',
  description: 'The platform disabled a subscription, whose events it now holds',
  data: Type.Object({
    subscription: Subscription,
    reason: Type.String({ description: 'Why, in words; the `disabledReason` of the subscription' }),
    disabledAt: Type.String({ format: 'date-time' }),
    heldDeliveries: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many deliveries the subscription held at that moment, when known' }),
    ),
  }),
  example: {
    subscription: {
      id: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94',
      url: 'https://hooks.example.com/crm',
      description: 'Leads for the mailing list',
      events: ['lead.*'],
      createdBy: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b95',
    },
    reason: 'the receiver answered 410 Gone',
    disabledAt: '2026-03-01T09:30:00.000Z',
    heldDeliveries: 3,
  },
});
