import { randomUUID } from 'node:crypto';
import type { Manifest } from '@crm/manifest';

/** A key that no other test uses. */
export const newKey = (): string => `app-${randomUUID().slice(0, 13)}`;

/** A package with an object, an automation and a webhook, which passes certification. */
export function fieldService(key: string, changes: Partial<Manifest> = {}): Manifest {
  return {
    key,
    name: 'Field Service',
    version: '1.0.0',
    kind: 'industry_app',
    publisher: {
      name: 'Acme',
      supportEmail: 'support@acme.example',
      privacyUrl: 'https://acme.example/privacy',
      termsUrl: 'https://acme.example/terms',
    },
    listing: { summary: 'Work orders for the field', categories: ['operations'] },
    permissions: [
      { scope: 'custom_objects', purpose: 'Work orders are custom objects.' },
      { scope: 'automations', purpose: 'A workflow makes work orders.' },
      { scope: 'leads:read', purpose: 'Leads are sent to the dispatcher.' },
      { scope: 'webhooks', purpose: 'Leads are sent to the dispatcher.', optional: true },
    ],
    objects: [
      {
        apiName: 'work_order',
        label: 'Work order',
        pluralLabel: 'Work orders',
        nameField: 'title',
        fields: [{ apiName: 'title', label: 'Title', type: 'text', required: true }],
      },
    ],
    automations: [
      {
        key: 'incoming',
        name: 'Incoming order',
        trigger: { type: 'webhook_received', payload: [{ name: 'title', type: 'text' }] },
        actions: [{ type: 'create_record', object: 'work_order', values: { title: '{{title}}' } }],
      },
    ],
    webhooks: [{ events: ['lead.created'], url: 'https://hooks.acme-dispatch.com/leads', description: 'New leads' }],
    ...changes,
  };
}

export const reviewPacket = {
  demoVideo: 'https://videos.acme.example/demo',
  sandboxAttestation: 'Installed and tried in a sandbox.',
  securityQuestionnaire: { storesPersonalData: 'no' },
  testInstructions: 'Install it, post to the hook, look at the work order.',
};
