import type { WebhookEvent } from '@crm/sdk';

/** What the app does with an event. `event.type` narrows `event.data`. */
export async function handleEvent(event: WebhookEvent): Promise<void> {
  switch (event.type) {
    case 'lead.created':
      console.log(`handled ${event.id}: the lead ${event.data.lastName} was created`);
      return;
    case 'deal.won':
      console.log(`handled ${event.id}: ${event.data.name} was won for ${event.data.amount} ${event.data.currency}`);
      return;
    default:
      console.log(`handled ${event.id}: ${event.type}`);
  }
}
