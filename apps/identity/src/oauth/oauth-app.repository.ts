import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { OAuthApp } from './oauth-app.entity.js';

@Injectable()
export class OAuthAppRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<Pick<OAuthApp, 'redirectUris' | 'status'>> {
    return (await tx.repository(OAuthApp).findOneBy({ appKey })) ?? { redirectUris: [], status: 'active' };
  }

  /** Changes what is given; the rest stays. */
  async upsert(
    tx: NarrowTransaction,
    appKey: string,
    changes: Partial<Pick<OAuthApp, 'redirectUris' | 'status'>>,
  ): Promise<void> {
    await tx.repository(OAuthApp).upsert({ appKey, ...changes, updatedAt: secondsFromNow(0) }, ['appKey']);
  }
}
