import { randomBytes } from 'node:crypto';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { toBase32 } from '../base32.js';
import { hashSecret } from '../secret.js';
import { RecoveryCodeRepository } from './factor.repository.js';

/**
 * 140 bits: OWASP ASVS 11.2.3 asks for 128; from 112 on a hash need not be slow (6.5.2). Earlier codes have 120 or 80.
 */
const CODE_CHARACTERS = 28;
const CODE_BYTES = Math.ceil((CODE_CHARACTERS * 5) / 8);

export function newRecoveryCode(): string {
  const characters = toBase32(randomBytes(CODE_BYTES)).slice(0, CODE_CHARACTERS);
  return (characters.match(/.{4}/g) as string[]).join('-');
}

/** What is stored of a code, however it is written. The user's id is the salt: equal codes of two users differ. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  return hashSecret(`${userId}:${code.replaceAll(/[ -]/g, '').toUpperCase()}`);
}

export const isRecoveryCode = (text: string): boolean => !/^\d+$/.test(text);

export const RECOVERY_CODES = 10;

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

  async accepts(tx: TenantTransaction, userId: string, code: string): Promise<boolean> {
    return this.codes.delete(tx, userId, hashRecoveryCode(userId, code));
  }

  async countLeft(tx: TenantTransaction, userId: string): Promise<number> {
    return this.codes.count(tx, userId);
  }

  async removeAll(tx: TenantTransaction, userId: string): Promise<void> {
    await this.codes.deleteOfUser(tx, userId);
  }
}
