import { randomBytes } from 'node:crypto';
import { newId } from '@crm/database';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { IdentityConfig } from '../config.js';
import { DeviceTokens } from './device-tokens.js';

const DAY_MS = 24 * 3600 * 1000;
const tokens = (key = randomBytes(32)) =>
  new DeviceTokens({ keyEncryptionKey: key.toString('base64') } as IdentityConfig);
const newUser = () => ({ id: newId(), passwordHash: `$argon2id$${randomBytes(32).toString('base64')}` });

describe('device tokens', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const devices = tokens();

  it('are known again, for the user who has signed in, each as a device of its own', () => {
    const [user, other] = [newUser(), newUser()];
    const device = devices.read(devices.issue(user));
    expect(device && devices.isOf(device, user)).toBe(true);
    expect(device && devices.isOf(device, other)).toBe(false);
    expect(device && devices.isOf(device, { ...other, passwordHash: user.passwordHash })).toBe(false);
    expect(devices.read(devices.issue(user))?.id).not.toBe(device?.id);
  });

  it('end with the password', () => {
    const user = newUser();
    const device = devices.read(devices.issue(user));
    expect(device && devices.isOf(device, { ...user, passwordHash: newUser().passwordHash })).toBe(false);
    expect(device && devices.isOf(device, { ...user, passwordHash: null })).toBe(false);
    expect(devices.issue({ ...user, passwordHash: null })).toBeUndefined();
  });

  it('are not known to a service with another key', () => {
    expect(tokens().read(tokens().issue(newUser()))).toBeUndefined();
  });

  it('are refused when a single character was changed', () => {
    const token = devices.issue(newUser()) ?? '';
    for (let index = 0; index < token.length; index += 1) {
      const changed = token.charAt(index) === 'A' ? 'B' : 'A';
      expect(devices.read(token.slice(0, index) + changed + token.slice(index + 1))).toBeUndefined();
    }
  });

  it.each([undefined, '', 'nonsense', `${'A'.repeat(43)}.${'A'.repeat(22)}.${'A'.repeat(22)}`])('refuse %p', (text) => {
    expect(tokens().read(text)).toBeUndefined();
  });

  it('are forgotten after 180 days', () => {
    const token = devices.issue(newUser());
    const now = Date.now();
    jest.useFakeTimers({ now: now + 179 * DAY_MS });
    expect(devices.read(token)).toBeDefined();
    jest.setSystemTime(now + 181 * DAY_MS);
    expect(devices.read(token)).toBeUndefined();
  });
});
