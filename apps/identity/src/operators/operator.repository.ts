import { REFRESH_TOKEN_SECONDS } from '@crm/contracts';
import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Operator } from './operator.entity.js';
import { OperatorSession } from './operator-session.entity.js';
import { ROTATE_OPERATOR_SESSION } from './operator-session.sql.js';

export type OperatorRotation =
  | { outcome: 'rotated'; sessionId: string; operatorId: string }
  | { outcome: 'reused' | 'unknown' };

@Injectable()
export class OperatorRepository {
  async findByEmail(tx: NarrowTransaction, email: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ email });
  }

  async find(tx: NarrowTransaction, id: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ id });
  }

  /** Adds an operator unless the address has one. */
  async insertMissing(tx: NarrowTransaction, operator: Omit<Operator, 'status'>): Promise<void> {
    await tx
      .repository(Operator)
      .createQueryBuilder()
      .insert()
      .values({ ...operator })
      .orIgnore()
      .execute();
  }

  async insertSession(tx: NarrowTransaction, id: string, operatorId: string, refreshHash: Buffer): Promise<void> {
    await tx
      .repository(OperatorSession)
      .insert({ id, operatorId, refreshHash, expiresAt: secondsFromNow(REFRESH_TOKEN_SECONDS) });
  }

  /** Exchanges a refresh token. A token that was exchanged before has been copied: its session ends. */
  async rotateSession(tx: NarrowTransaction, presented: Buffer, successor: Buffer): Promise<OperatorRotation> {
    const [rotated] = await tx.query<{ sessionId: string; operatorId: string }>(ROTATE_OPERATOR_SESSION, [
      presented,
      successor,
      REFRESH_TOKEN_SECONDS,
    ]);
    if (rotated) return { outcome: 'rotated', ...rotated };
    const { affected } = await tx.repository(OperatorSession).delete({ previousHash: presented });
    return { outcome: affected ? 'reused' : 'unknown' };
  }
}
