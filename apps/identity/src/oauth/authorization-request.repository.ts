import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FUTURE, hasChangedOne } from '../tenant-row.js';
import { AuthorizationRequest } from './oauth.entity.js';

/** Time to sign in, with a second factor, and to read what the app asks for. */
const VALID_SECONDS = 600;

@Injectable()
export class AuthorizationRequestRepository {
  async insert(tx: NarrowTransaction, request: Omit<AuthorizationRequest, 'expiresAt'>): Promise<void> {
    await tx.repository(AuthorizationRequest).insert({ ...request, expiresAt: secondsFromNow(VALID_SECONDS) });
  }

  async find(tx: NarrowTransaction, requestHash: Buffer): Promise<AuthorizationRequest | null> {
    return tx.repository(AuthorizationRequest).findOneBy({ requestHash, expiresAt: FUTURE });
  }

  /** @returns whether it was there: of two decisions at once one is made */
  async delete(tx: NarrowTransaction, requestHash: Buffer): Promise<boolean> {
    return hasChangedOne(await tx.repository(AuthorizationRequest).delete({ requestHash, expiresAt: FUTURE }));
  }
}
