import { REFRESH_TOKEN_SECONDS } from '@crm/contracts';
import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

export interface Operator {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
  status: 'active' | 'disabled';
}

export type OperatorRotation =
  | { outcome: 'rotated'; sessionId: string; operatorId: string }
  | { outcome: 'reused' | 'unknown' };

const COLUMNS = 'id, email, name, password_hash AS "passwordHash", status';

@Injectable()
export class OperatorRepository {
  async findByEmail(tx: NarrowTransaction, email: string): Promise<Operator | null> {
    const [row] = await tx.query<Operator>(`SELECT ${COLUMNS} FROM operator WHERE email = $1`, [email]);
    return row ?? null;
  }

  async find(tx: NarrowTransaction, id: string): Promise<Operator | null> {
    const [row] = await tx.query<Operator>(`SELECT ${COLUMNS} FROM operator WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** Adds an operator unless the address has one. */
  async insertMissing(tx: NarrowTransaction, operator: Omit<Operator, 'status'>): Promise<void> {
    await tx.query(
      'INSERT INTO operator (id, email, name, password_hash) VALUES ($1, $2, $3, $4) ON CONFLICT (email) DO NOTHING',
      [operator.id, operator.email, operator.name, operator.passwordHash],
    );
  }

  async insertSession(tx: NarrowTransaction, id: string, operatorId: string, refreshHash: Buffer): Promise<void> {
    await tx.query(
      `INSERT INTO operator_session (id, operator_id, refresh_hash, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [id, operatorId, refreshHash, REFRESH_TOKEN_SECONDS],
    );
  }

  /** Exchanges a refresh token. The one before the last is a copy that somebody kept: its session ends. */
  async rotateSession(tx: NarrowTransaction, presented: Buffer, successor: Buffer): Promise<OperatorRotation> {
    const [rotated] = await tx.query<{ sessionId: string; operatorId: string }>(
      `UPDATE operator_session SET refresh_hash = $2, previous_hash = $1,
         expires_at = now() + make_interval(secs => $3)
       WHERE refresh_hash = $1 AND expires_at > now() RETURNING id AS "sessionId", operator_id AS "operatorId"`,
      [presented, successor, REFRESH_TOKEN_SECONDS],
    );
    if (rotated) return { outcome: 'rotated', ...rotated };
    const reused = await tx.query('DELETE FROM operator_session WHERE previous_hash = $1 RETURNING id', [presented]);
    return { outcome: reused.length > 0 ? 'reused' : 'unknown' };
  }
}
