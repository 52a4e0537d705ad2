import { randomBytes } from 'node:crypto';
import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { fromBase32, toBase32 } from '../base32.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { AuthenticatorRepository } from './authenticator.repository.js';
import { RecoveryCodeService } from './recovery-code.service.js';
import { CODE_DIGITS, matchingStep, STEP_SECONDS } from './totp.js';

/** The length that RFC 4226, section 4, R6 recommends; that of the output of HMAC-SHA-1. */
const SECRET_BYTES = 20;

/** Shown in the authenticator app in front of the address. */
const ISSUER = 'CRM platform';

/** What an authenticator app is set up with; shown once. */
export interface NewAuthenticator {
  /** Base32, to be typed in. */
  secret: string;
  /** The same for a QR code. */
  otpauthUri: string;
}

/** Authenticator apps of users and operators: enrolled, confirmed, asked for codes and removed. */
@Injectable()
export class AuthenticatorService {
  private readonly box: SecretBox;

  constructor(
    private readonly authenticators: AuthenticatorRepository,
    private readonly recoveryCodes: RecoveryCodeService,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** Whether the user has an authenticator in use. */
  isInUse(tx: TenantTransaction, userId: string): Promise<boolean> {
    return this.authenticators.isInUse(tx, userId);
  }

  /**
   * Begins an enrolment, which counts for nothing until a code confirms it.
   * @param email the name of the account in the app
   * @throws PlatformError CONFLICT while the user has an authenticator
   */
  async start(tx: TenantTransaction, userId: string, email: string): Promise<NewAuthenticator> {
    const secret = toBase32(randomBytes(SECRET_BYTES));
    const started = await this.authenticators.start(
      tx,
      userId,
      this.box.seal(secret, placeOfAuthenticator(tx.tenantId, userId)),
    );
    if (!started) throw new PlatformError('CONFLICT', 'The authenticator in use must be removed first');
    return { secret, otpauthUri: otpauthUri(secret, email) };
  }

  /**
   * Finishes an enrolment.
   * @returns the recovery codes, which are shown this once
   * @throws PlatformError INVALID_CREDENTIALS for a wrong code, CONFLICT when no enrolment was begun
   */
  async confirm(tx: TenantTransaction, userId: string, code: string): Promise<string[]> {
    const pending = await this.authenticators.lock(tx, userId);
    if (!pending || pending.confirmedAt) throw new PlatformError('CONFLICT', 'No enrolment has been started');
    const step = matchingStep(this.secretOf(tx, userId, pending.sealedSecret), code, Date.now(), null);
    if (step === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or no longer valid');
    await this.authenticators.confirm(tx, userId, step);
    return this.recoveryCodes.replace(tx, userId);
  }

  /** Whether the code is right; a code is accepted once. */
  async accepts(tx: TenantTransaction, userId: string, code: string): Promise<boolean> {
    const authenticator = await this.authenticators.find(tx, userId);
    if (!authenticator?.confirmedAt) return false;
    const secret = this.secretOf(tx, userId, authenticator.sealedSecret);
    const step = matchingStep(secret, code, Date.now(), authenticator.lastStep);
    return step !== undefined && this.authenticators.useStep(tx, userId, step);
  }

  /** Removes the authenticator with its recovery codes. @returns whether there was one */
  async remove(tx: TenantTransaction, userId: string): Promise<boolean> {
    await this.recoveryCodes.removeAll(tx, userId);
    return this.authenticators.delete(tx, userId);
  }

  /** Removes what was enrolled from a time on, and enrolments that are not finished. */
  async removeSince(tx: TenantTransaction, userId: string, since: Date): Promise<void> {
    const authenticator = await this.authenticators.lock(tx, userId);
    const isOlder = authenticator?.confirmedAt && authenticator.confirmedAt < since;
    if (authenticator && !isOlder) await this.remove(tx, userId);
  }

  private secretOf(tx: TenantTransaction, userId: string, sealed: Buffer): Buffer {
    return fromBase32(this.box.open(sealed, placeOfAuthenticator(tx.tenantId, userId)));
  }
}

/** What the secret of an authenticator is bound to. */
export const placeOfAuthenticator = (tenantId: string, userId: string): string => `authenticator/${tenantId}/${userId}`;

/** The format that authenticator apps read from a QR code (Google Authenticator's "Key Uri Format"). */
function otpauthUri(secret: string, email: string): string {
  const label = `${encodeURIComponent(ISSUER)}:${encodeURIComponent(email)}`;
  // Not URLSearchParams, which writes a space as +: apps show it as such.
  const issuer = encodeURIComponent(ISSUER);
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=${CODE_DIGITS}&period=${STEP_SECONDS}`;
}
