import Type, { type Static, type TSchema } from 'typebox';
import type { ServiceName } from './services.js';

/**
 * A message from one process of a service to all of them, about what they keep in memory. Core NATS: it reaches the
 * processes that are connected, at most once. Anyone who keeps something therefore also forgets it after some time, and after
 * a reconnection.
 */
export interface NoticeDefinition<Payload extends TSchema = TSchema> {
  readonly subject: string;
  /** The only one that sends and receives it. */
  readonly service: ServiceName;
  readonly payload: Payload;
}

export type NoticePayload<N extends NoticeDefinition> = Static<N['payload']>;

const defineNotice = <Payload extends TSchema>(notice: NoticeDefinition<Payload>): NoticeDefinition<Payload> => notice;

export const NOTICES = {
  /** The subscriptions of a tenant, or the signing secret of an app, have changed. */
  receiversChanged: defineNotice({
    subject: 'notice.webhook-dispatcher.receivers-changed',
    service: 'webhook-dispatcher',
    payload: Type.Union([Type.Object({ tenantId: Type.String() }), Type.Object({ appKey: Type.String() })]),
  }),
  /** An attempt has failed, or was the first to succeed after failures. */
  receiverAttempted: defineNotice({
    subject: 'notice.webhook-dispatcher.receiver-attempted',
    service: 'webhook-dispatcher',
    payload: Type.Object({
      process: Type.String(),
      subscriptionId: Type.String(),
      /** SHA-256 of its URL: failures do not count for another one. */
      urlHash: Type.String(),
      succeeded: Type.Boolean(),
    }),
  }),
} as const;
