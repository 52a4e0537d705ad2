import type { EVENTS, EventData } from '@crm/contracts';
import type { User } from '../people/people.entity.js';
import type { NewMail } from './mail.repository.js';
import { letter, NOTICE_SECONDS, singleLine } from './mail-text.js';

export type DisabledEndpoint = EventData<(typeof EVENTS)['webhook.endpoint_disabled']>;

/** Names the host only: the path of an endpoint often holds a secret. */
export function endpointMail(
  { email, name }: Pick<User, 'email' | 'name'>,
  { subscription, reason, heldDeliveries }: DisabledEndpoint,
  workspace: string,
  baseUrl: string,
): NewMail {
  const { id, url, description, events, appKey } = subscription;
  const { host } = new URL(url);
  const address = `${baseUrl}/api/webhooks/subscriptions/${id}`;
  const lines = [
    `the platform has disabled a webhook subscription of the workspace ${singleLine(workspace)}: ${reason}.`,
    '',
    `  Receiver: ${host}`,
    ...(description === null ? [] : [`  Description: ${singleLine(description)}`]),
    ...(appKey === undefined ? [] : [`  App: ${appKey}`]),
    `  Events: ${events.join(', ')}`,
    `  Subscription: ${id}`,
    ...(heldDeliveries === undefined ? [] : [`  Held deliveries: ${heldDeliveries}`]),
    '',
    'Its events are held from now on. When the receiver works again:',
    '',
    `1. Send it a test event: POST ${address}/test`,
    `2. Have new events sent: POST ${address}/resume`,
    `3. Send what was held: POST ${address}/recover`,
  ];
  const subject = `Webhook subscription for ${host} is disabled`;
  return letter(email, subject, NOTICE_SECONDS, lines, `Hello ${singleLine(name)},`);
}
