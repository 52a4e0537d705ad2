import type { NoticeDefinition, NoticePayload } from '@crm/contracts';
import type { Msg } from '@nats-io/nats-core';
import { Injectable, Logger } from '@nestjs/common';
import { Compile } from 'typebox/compile';
import { NatsConnection } from './nats-connection.js';

export interface NoticeListener<N extends NoticeDefinition> {
  onNotice(payload: NoticePayload<N>): void;
  /** The connection was lost and is back: notices may have been missed meanwhile. */
  onGap(): void;
}

/** Notices between the processes of a service; a process also gets its own. */
@Injectable()
export class Notices {
  private readonly logger = new Logger('Notices');

  constructor(private readonly nats: NatsConnection) {}

  get areCut(): boolean {
    return this.nats.isCut;
  }

  /** What is published after it resolves reaches a listener later. @throws PlatformError SERVICE_UNAVAILABLE */
  async send<N extends NoticeDefinition>(notice: N, payload: NoticePayload<N>): Promise<void> {
    this.nats.connection.publish(notice.subject, JSON.stringify(payload));
    await this.nats.flush();
  }

  listen<N extends NoticeDefinition>(notice: N, listener: NoticeListener<N>): () => void {
    const schema = Compile(notice.payload);
    const subscription = this.nats.connection.subscribe(notice.subject, {
      callback: (error, message) => {
        const payload = error ? undefined : this.read(message);
        if (schema.Check(payload)) listener.onNotice(payload as NoticePayload<N>);
        else this.logger.error({ msg: `A notice on ${notice.subject} is invalid`, err: error });
      },
    });
    const removeListener = this.nats.onReconnect(() => listener.onGap());
    return () => {
      removeListener();
      subscription.unsubscribe();
    };
  }

  private read(message: Msg): unknown {
    try {
      return message.json();
    } catch (error) {
      this.logger.error({ msg: `A notice on ${message.subject} is not JSON`, err: error });
      return undefined;
    }
  }
}
