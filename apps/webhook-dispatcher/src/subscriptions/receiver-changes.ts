import { NOTICES, type NoticePayload } from '@crm/contracts';
import { Notices } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';

/** Tells every process that receivers have changed. Call it after the commit and before the answer. */
@Injectable()
export class ReceiverChanges {
  private readonly logger = new Logger('ReceiverChanges');

  constructor(private readonly notices: Notices) {}

  /** Resolves when no event that is published later is handled with what was known before. Never rejects. */
  async announce(changed: NoticePayload<typeof NOTICES.receiversChanged>): Promise<void> {
    try {
      await this.notices.send(NOTICES.receiversChanged, changed);
    } catch (error) {
      // The change is committed, nothing is published meanwhile, and a reconnection makes every process read again.
      this.logger.warn({ msg: 'A change of receivers was not announced; it is known within a minute', err: error });
    }
  }
}
