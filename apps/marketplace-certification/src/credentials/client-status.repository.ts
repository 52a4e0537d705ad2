import type { OAuthAppStatus } from '@crm/contracts';
import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ClientStatus } from './credentials.entity.js';

export type ClientChange = { readonly status: OAuthAppStatus } | { readonly settingsChanged: true };

@Injectable()
export class ClientStatusRepository {
  /** The later decision counts: it takes the place of one that identity has not learned, and waits for one it is being told. */
  async put(tx: NarrowTransaction, appKey: string, change: ClientChange): Promise<void> {
    await tx.repository(ClientStatus).upsert({ appKey, ...change, decidedAt: secondsFromNow(0) }, ['appKey']);
  }

  async listKeys(tx: NarrowTransaction, limit: number): Promise<string[]> {
    const rows = await tx
      .repository(ClientStatus)
      .find({ select: { appKey: true }, order: { decidedAt: 'ASC' }, take: limit });
    return rows.map(({ appKey }) => appKey);
  }

  /** Holds a decision until the transaction ends. @returns null for one that is gone, or that another process holds */
  async take(tx: NarrowTransaction, appKey: string): Promise<Pick<ClientStatus, 'status' | 'settingsChanged'> | null> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    return tx.repository(ClientStatus).findOne({ where: { appKey }, lock });
  }

  async delete(tx: NarrowTransaction, appKey: string): Promise<void> {
    await tx.repository(ClientStatus).delete({ appKey });
  }
}
