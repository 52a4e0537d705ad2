import { CONSUMERS, type EVENTS, type EventData, type EventEnvelope } from '@crm/contracts';
import { idOf, millisecondsOfId } from '@crm/database';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AuditTrail, type NewAuditEntry, SYSTEM, userActor } from './audit-trail.service.js';

/** Events of other services that are acts of administration in a workspace. */
const AUDITED_EVENTS = ['app.installed', 'app.upgraded', 'app.uninstalled', 'webhook.endpoint_disabled'] as const;
type AuditedEvent = (typeof AUDITED_EVENTS)[number];

interface Installed {
  installationId: string;
  appKey: string;
  version: string;
  sandbox: boolean;
  previousVersion?: string;
  requestedBy?: string;
}

type Disabled = EventData<(typeof EVENTS)['webhook.endpoint_disabled']>;

function ofInstallation(action: 'app.installed' | 'app.upgraded' | 'app.uninstalled', data: Installed): NewAuditEntry {
  const { installationId, appKey, version, sandbox, previousVersion, requestedBy } = data;
  return {
    action,
    actor: requestedBy === undefined ? SYSTEM : userActor(requestedBy),
    subject: { kind: 'installation', id: installationId },
    detail: { appKey, version, sandbox, ...(previousVersion !== undefined && { previousVersion }) },
  };
}

function ofSubscription({ subscription: { id, appKey }, reason }: Disabled): NewAuditEntry {
  return {
    action: 'webhook.disabled',
    outcome: 'failure',
    actor: SYSTEM,
    subject: { kind: 'subscription', id },
    detail: { reason, ...(appKey !== undefined && { appKey }) },
  };
}

/** The entry of an event, at the time of the event; the same each time, so that a double adds none. */
function entryOf(event: EventEnvelope): NewAuditEntry {
  const type = event.type as AuditedEvent;
  const entry =
    type === 'webhook.endpoint_disabled'
      ? ofSubscription(event.data as unknown as Disabled)
      : ofInstallation(type, event.data as unknown as Installed);
  return { ...entry, id: idOf(millisecondsOfId(event.id), 'audit', event.id) };
}

/** Acts of other services, by the events that tell of them. */
@Controller()
export class AuditEventConsumer {
  constructor(private readonly trail: AuditTrail) {}

  @EventHandler(CONSUMERS.identity, AUDITED_EVENTS)
  async onAct(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    this.trail.record(tx, entryOf(event));
  }
}
