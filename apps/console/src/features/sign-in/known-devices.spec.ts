import { webcrypto } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { knownDevices } from './known-devices.js';

const ADA = 'ada@acme.test';
const DAY_MS = 24 * 3600 * 1000;

/** A browser, what is in its storage, and its clock. */
function browser(content?: string, crypto: { readonly subtle?: SubtleCrypto } = webcrypto as Crypto) {
  const items = new Map<string, string>(content === undefined ? [] : [['crm-account-devices', content]]);
  const localStorage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
  } as unknown as Storage;
  const clock = { now: 1_800_000_000_000 };
  const devices = knownDevices({ localStorage, crypto }, () => clock.now);
  return { devices, clock, text: () => [...items].join() };
}

describe('a known browser', () => {
  it('is known to each account by its own token, however the address is typed', async () => {
    const { devices } = browser();
    await devices.keep(ADA, 'of-ada');
    await devices.keep('grace@acme.test', 'of-grace');
    await devices.keep(ADA, 'of-ada-again');
    expect(await devices.tokenFor(' Ada@ACME.test')).toBe('of-ada-again');
    expect(await devices.tokenFor('grace@acme.test')).toBe('of-grace');
    expect(await devices.tokenFor('mary@acme.test')).toBeUndefined();
  });

  it('does not say who has signed in, and keeps what it has when a sign-in says nothing', async () => {
    const { devices, text } = browser();
    await devices.keep(ADA, 'of-ada');
    await devices.keep(ADA, undefined);
    expect(await devices.tokenFor(ADA)).toBe('of-ada');
    expect(text()).toContain('of-ada"');
    expect(text()).not.toMatch(/ada@|acme/i);
  });

  it('is known by a new password to anyone who signs in next, before what was kept earlier, this once', async () => {
    const { devices } = browser();
    await devices.keep(ADA, 'of-the-old-password');
    devices.keepForNext('of-the-new-password');
    expect(await devices.tokenFor(ADA)).toBe('of-the-new-password');
    await devices.keep(ADA, 'of-the-sign-in');
    expect(await devices.tokenFor(ADA)).toBe('of-the-sign-in');
    expect(await devices.tokenFor('grace@acme.test')).toBeUndefined();
  });

  it('is a new one after 180 days, and when its clock has gone back', async () => {
    const { devices, clock } = browser();
    await devices.keep(ADA, 'of-ada');
    clock.now += 180 * DAY_MS - 1;
    expect(await devices.tokenFor(ADA)).toBe('of-ada');
    clock.now += 1;
    expect(await devices.tokenFor(ADA)).toBeUndefined();
    clock.now -= 181 * DAY_MS;
    expect(await devices.tokenFor(ADA)).toBeUndefined();
  });

  it('knows the last ten accounts', async () => {
    const { devices } = browser();
    for (let index = 0; index < 11; index += 1) await devices.keep(`user-${index}@acme.test`, `of-${index}`);
    const known = await Promise.all([0, 1, 10].map((index) => devices.tokenFor(`user-${index}@acme.test`)));
    expect(known).toEqual([undefined, 'of-1', 'of-10']);
  });

  it.each(['', 'no JSON', 'null', '{}', '[1, null, {"account": 1}, {"token": "t", "since": 0}]'])(
    'is a new one when its storage has something else: %s',
    async (content) => {
      const { devices } = browser(content);
      expect(await devices.tokenFor(ADA)).toBeUndefined();
      await devices.keep(ADA, 'of-ada');
      expect(await devices.tokenFor(ADA)).toBe('of-ada');
    },
  );
});

describe('a browser that keeps nothing for pages', () => {
  const refusing = (name: string) => ({
    get localStorage(): Storage {
      throw name === 'TypeError' ? new TypeError('A defect') : new DOMException('Not here', name);
    },
    crypto: webcrypto as Crypto,
  });

  it.each(['SecurityError', 'QuotaExceededError'])('is a new one at each visit: %s', async (name) => {
    const devices = knownDevices(refusing(name));
    await devices.keep(ADA, 'of-ada');
    devices.keepForNext('of-nobody');
    expect(await devices.tokenFor(ADA)).toBeUndefined();
  });

  it('does not hide a defect', async () => {
    await expect(knownDevices(refusing('TypeError')).tokenFor(ADA)).rejects.toThrow(TypeError);
  });

  it('is a new one where there is no cryptography', async () => {
    const { devices, text } = browser(undefined, {});
    await devices.keep(ADA, 'of-ada');
    expect(text()).toBe('');
    expect(await devices.tokenFor(ADA)).toBeUndefined();
  });
});
