import { createHmac, timingSafeEqual } from 'node:crypto';
import { uuidTimeMs } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { newId } from '@crm/database';
import { EncryptionKeys } from '@crm/encryption';
import type { HeaderDescription } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { packIds, unpackIds } from '../secrets.js';

/** Longer than any session lives by default: who signs in again after one that lasted 90 days comes from a known device. */
const LIFE_MS = 180 * 24 * 3600 * 1000;
const TAG_BYTES = 16;
const TOKEN = /^([\w-]{43})\.([\w-]{22})\.([\w-]{22})$/;

export interface KnownDevice {
  readonly id: string;
  readonly userId: string;
  readonly passwordTag: string;
}

export interface PasswordHolder {
  readonly id: string;
  readonly passwordHash: string | null;
}

/** A token opens an allowance of guesses at its user's password that strangers cannot use up; a new password ends it. */
@Injectable()
export class DeviceTokens {
  /** The current one first; tokens that were made with another one are known as long as it is there. */
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    this.keys = EncryptionKeys.parse(config.keyEncryptionKey).derive('identity.device-token');
  }

  /** @param user who has proven by a password or a passkey who they are on the device. @returns undefined for one without a password */
  issue({ id, passwordHash }: PasswordHolder): string | undefined {
    if (passwordHash === null) return undefined;
    const [key] = this.keys;
    const claims = `${packIds(id, newId())}.${passwordTag(key, passwordHash)}`;
    return `${claims}.${mac(key, `device.${claims}`)}`;
  }

  /** @returns undefined for a text that is no token, or one that is too old */
  read(token: string | undefined): KnownDevice | undefined {
    const [, ids = '', tag = '', presented = ''] = TOKEN.exec(token ?? '') ?? [];
    const [userId, id] = unpackIds(ids, 2) ?? [];
    const isRight = (key: Buffer) => isEqual(presented, mac(key, `device.${ids}.${tag}`));
    if (!userId || !id || !this.keys.some(isRight)) return undefined;
    return Date.now() - uuidTimeMs(id) < LIFE_MS ? { id, userId, passwordTag: tag } : undefined;
  }

  isOf(device: KnownDevice, { id, passwordHash }: PasswordHolder): boolean {
    if (device.userId !== id || passwordHash === null) return false;
    return this.keys.some((key) => isEqual(device.passwordTag, passwordTag(key, passwordHash)));
  }
}

const mac = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, TAG_BYTES).toString('base64url');

const passwordTag = (key: Buffer, passwordHash: string): string => mac(key, `password.${passwordHash}`);

const isEqual = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

export interface SignInOutcome<T = TokenPair> {
  answer: T;
  deviceToken?: string | undefined;
}

export const DEVICE_TOKEN_HEADER = 'x-device-token';

/** For `@Describe` of a route that reads it. */
export const DEVICE_TOKEN_DESCRIPTION: HeaderDescription = {
  name: 'X-Device-Token',
  description:
    "The value of this header from an earlier sign-in on this device. Other people's guesses at the account don't slow down a device that sends it. It proves nothing else.",
};

export interface HeaderReply {
  header(name: string, value: string): unknown;
  status(code: number): unknown;
}

export function giveDeviceToken(reply: HeaderReply, token: string | undefined): void {
  if (token !== undefined) reply.header(DEVICE_TOKEN_HEADER, token);
}
