import type { EmbedCredentialsSummary } from '@crm/contracts';
import { secondsFromNow } from '@crm/database';
import { Column, type FindOptionsWhere, type Repository } from 'typeorm';
import { FUTURE } from '../tenant-row.js';

/** What embed apps and installations have besides their secret: its last use, and the secret before it. */
export abstract class ClientSecrets {
  /** To five minutes. */
  @Column({ name: 'secret_last_used_at', type: 'timestamptz', nullable: true }) secretLastUsedAt: Date | null;

  /** Stays valid for a time. */
  @Column({ name: 'previous_secret_hash', type: 'bytea', nullable: true }) previousSecretHash: Buffer | null;

  @Column({ name: 'previous_secret_created_at', type: 'timestamptz', nullable: true })
  previousSecretCreatedAt: Date | null;

  @Column({ name: 'previous_secret_last_used_at', type: 'timestamptz', nullable: true })
  previousSecretLastUsedAt: Date | null;

  @Column({ name: 'previous_valid_until', type: 'timestamptz', nullable: true }) previousValidUntil: Date | null;
}

/** @param createdAt of the present secret */
export function summaryOfSecrets(
  client: ClientSecrets,
  createdAt: Date,
): Pick<EmbedCredentialsSummary, 'secret' | 'previousSecret'> {
  const { previousSecretHash, previousValidUntil } = client;
  const isPreviousValid =
    previousSecretHash !== null && previousValidUntil !== null && previousValidUntil.getTime() > Date.now();
  return {
    secret: secretOf(createdAt, client.secretLastUsedAt),
    previousSecret: isPreviousValid
      ? {
          ...secretOf(client.previousSecretCreatedAt ?? createdAt, client.previousSecretLastUsedAt),
          validUntil: previousValidUntil.toISOString(),
        }
      : null,
  };
}

const secretOf = (createdAt: Date, lastUsedAt: Date | null) => ({
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

/** Ends the secret before the present one. @returns whether it was still valid */
export async function endPreviousSecret<Client extends ClientSecrets>(
  clients: Repository<Client>,
  client: FindOptionsWhere<Client>,
): Promise<boolean> {
  const ended: Partial<ClientSecrets> = { previousSecretHash: null };
  const { affected } = await clients.update({ ...client, previousValidUntil: FUTURE }, {
    ...ended,
    previousValidUntil: secondsFromNow(0),
  } as never);
  return affected === 1;
}
