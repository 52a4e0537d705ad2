import type { EVENTS, EventData } from '@crm/contracts';

export type DisabledEndpoint = EventData<(typeof EVENTS)['webhook.endpoint_disabled']>;

/** After this the mail says nothing that is worth reading: seconds. */
const VALID_SECONDS = 3 * 24 * 3600;

export interface EndpointMail {
  readonly subject: string;
  readonly body: string;
  readonly validSeconds: number;
}

/** Names the host only: the path of an endpoint often holds a secret. */
export function endpointMail(
  { subscription, reason, heldDeliveries }: DisabledEndpoint,
  workspace: string,
  baseUrl: string,
): EndpointMail {
  const { id, url, description, events, appKey } = subscription;
  const { host } = new URL(url);
  const address = `${baseUrl}/api/webhooks/subscriptions/${id}`;
  const body = [
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
    '',
  ].join('\n');
  return {
    subject: `Webhook subscription for ${host} is disabled`,
    body,
    validSeconds: VALID_SECONDS,
  };
}

/** Names come from users; a line break in one must not become one in a mail. */
const singleLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
