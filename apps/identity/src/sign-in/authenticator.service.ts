import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { fromBase32, hashSecret, toBase32 } from '../secrets.js';
import { AuthenticatorRepository, RecoveryCodeRepository } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import type { AuthenticatorView } from './sign-in.dto.js';

/** What every authenticator app understands; the defaults of RFC 6238, section 4, and of RFC 4226, section 5.3. */
const CODE_DIGITS = 6;
const STEP_SECONDS = 30;

/** Steps accepted before and after the present one, for clocks that differ (RFC 6238, section 5.2). */
const TOLERATED_STEPS = 1;

export const stepAt = (nowMs: number): number => Math.floor(nowMs / 1000 / STEP_SECONDS);

/** The code of a counter: HOTP of RFC 4226, section 5.3, with HMAC-SHA-1. */
export function codeOf(secret: Uint8Array, step: number, digits = CODE_DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) as number) & 15;
  const truncated = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

/** Compares every step: the time does not tell which it was. @returns undefined for a wrong or used code */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null,
): number | undefined {
  const presented = Buffer.from(code);
  const present = stepAt(nowMs);
  let found: number | undefined;
  for (let step = present - TOLERATED_STEPS; step <= present + TOLERATED_STEPS; step += 1) {
    const expected = Buffer.from(codeOf(secret, step));
    const equal = presented.length === expected.length && timingSafeEqual(presented, expected);
    if (equal && step > (lastStep ?? -1)) found ??= step;
  }
  return found;
}

/** The length that RFC 4226, section 4, R6 recommends; that of the output of HMAC-SHA-1. */
const SECRET_BYTES = 20;

const ISSUER = 'CRM platform';

/** 140 bits: OWASP ASVS 11.2.3 asks for 128; from 112 on a hash need not be slow. Earlier codes have 120 or 80. */
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

/** Authenticator apps of users and operators, with the recovery codes for anyone who has lost theirs. */
@Injectable()
export class AuthenticatorService {
  private readonly box: SecretBox;

  constructor(
    private readonly authenticators: AuthenticatorRepository,
    private readonly recoveryCodes: RecoveryCodeRepository,
    private readonly notices: FactorNoticeService,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  isInUse(tx: TenantTransaction, userId: string): Promise<boolean> {
    return this.authenticators.isInUse(tx, userId);
  }

  /** Begins an enrolment, which counts for nothing until a code confirms it. @throws PlatformError CONFLICT */
  async start(tx: TenantTransaction, userId: string, email: string): Promise<AuthenticatorView> {
    const secret = toBase32(randomBytes(SECRET_BYTES));
    const sealed = this.box.seal(secret, contextOfAuthenticator(tx.tenantId, userId));
    if (!(await this.authenticators.start(tx, userId, sealed)))
      throw new PlatformError('CONFLICT', 'Remove the current authenticator app first');
    return { secret, otpauthUri: otpauthUri(secret, email) };
  }

  /** @param personProven whether it speaks for the person @throws PlatformError INVALID_CREDENTIALS, CONFLICT without an enrolment */
  async confirm(tx: TenantTransaction, userId: string, code: string, personProven: boolean): Promise<string[]> {
    const pending = await this.authenticators.lock(tx, userId);
    if (!pending || pending.confirmedAt)
      throw new PlatformError('CONFLICT', 'Start setting up an authenticator app first');
    const step = matchingStep(this.secretOf(tx, userId, pending.sealedSecret), code, Date.now(), null);
    if (step === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or has expired');
    await this.authenticators.confirm(tx, userId, step, personProven);
    return this.replaceRecoveryCodes(tx, userId);
  }

  /** Returns whether the code of the authenticator, or the recovery code in its place, is right; each is accepted once. */
  async accepts(tx: TenantTransaction, userId: string, code: string): Promise<boolean> {
    if (isRecoveryCode(code)) {
      const accepted = await this.recoveryCodes.delete(tx, userId, hashRecoveryCode(userId, code));
      if (accepted) await this.notices.send(tx, userId, { change: 'recovery-code-used' });
      return accepted;
    }
    const authenticator = await this.authenticators.find(tx, userId);
    if (!authenticator?.confirmedAt) return false;
    const secret = this.secretOf(tx, userId, authenticator.sealedSecret);
    const step = matchingStep(secret, code, Date.now(), authenticator.lastStep);
    return step !== undefined && this.authenticators.useStep(tx, userId, step);
  }

  /** Recovery codes of an earlier set stop working. @returns the codes, which are shown this once */
  async replaceRecoveryCodes(tx: TenantTransaction, userId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await this.recoveryCodes.deleteOfUser(tx, userId);
    const hashes = codes.map((code) => hashRecoveryCode(userId, code));
    await this.recoveryCodes.insert(tx, userId, hashes);
    return codes;
  }

  async remove(tx: TenantTransaction, userId: string): Promise<boolean> {
    await this.recoveryCodes.deleteOfUser(tx, userId);
    return this.authenticators.delete(tx, userId);
  }

  /** @returns whether one that was in use is gone */
  async removeSince(tx: TenantTransaction, userId: string, since: Date): Promise<boolean> {
    const authenticator = await this.authenticators.lock(tx, userId);
    const isOlder = authenticator?.confirmedAt && authenticator.confirmedAt < since;
    return Boolean(authenticator && !isOlder && (await this.remove(tx, userId)) && authenticator.confirmedAt);
  }

  private secretOf(tx: TenantTransaction, userId: string, sealed: Buffer): Buffer {
    return fromBase32(this.box.open(sealed, contextOfAuthenticator(tx.tenantId, userId)));
  }
}

export const contextOfAuthenticator = (tenantId: string, userId: string): string =>
  `authenticator/${tenantId}/${userId}`;

/** The format that authenticator apps read from a QR code (Google Authenticator's "Key Uri Format"). */
function otpauthUri(secret: string, email: string): string {
  const label = `${encodeURIComponent(ISSUER)}:${encodeURIComponent(email)}`;
  // Not URLSearchParams, which writes a space as +: apps show it as such.
  const issuer = encodeURIComponent(ISSUER);
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=${CODE_DIGITS}&period=${STEP_SECONDS}`;
}
