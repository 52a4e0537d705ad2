import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { hashRecoveryCode, newRecoveryCode } from './recovery-code.js';
import { RecoveryCodeRepository } from './recovery-code.repository.js';

/** Codes of one set. */
export const RECOVERY_CODES = 10;

/** Recovery codes: for a user whose authenticator is lost. */
@Injectable()
export class RecoveryCodeService {
  constructor(private readonly codes: RecoveryCodeRepository) {}

  /** Makes a new set; those of an earlier one stop working. @returns the codes, which are shown this once */
  async replace(tx: TenantTransaction, userId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await this.codes.deleteOfUser(tx, userId);
    await this.codes.insert(
      tx,
      userId,
      codes.map((code) => hashRecoveryCode(userId, code)),
    );
    return codes;
  }

  /** Whether the code is right; each is accepted once. */
  async accepts(tx: TenantTransaction, userId: string, code: string): Promise<boolean> {
    return this.codes.delete(tx, userId, hashRecoveryCode(userId, code));
  }

  /** How many are left. */
  async countLeft(tx: TenantTransaction, userId: string): Promise<number> {
    return this.codes.count(tx, userId);
  }

  async removeAll(tx: TenantTransaction, userId: string): Promise<void> {
    await this.codes.deleteOfUser(tx, userId);
  }
}
