import { apiKeyFingerprint, readApiKey } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { connectedAs } from './caller.js';
import { codeOf } from './checks.js';
import type { Account, Answer, TestIdentity } from './identity.js';

export const PRESENTED_AT = '192.0.2.7';

/** A key that was made. */
export interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

/** identity as the gateway calls it, and keys to present. */
export class TestKeys {
  private context: INestApplicationContext;

  private constructor(private readonly identity: TestIdentity) {}

  static ofFile(identity: TestIdentity): TestKeys {
    const keys = new TestKeys(identity);
    beforeAll(() => keys.open());
    afterAll(() => keys.close());
    return keys;
  }

  static async connect(identity: TestIdentity): Promise<TestKeys> {
    const keys = new TestKeys(identity);
    await keys.open();
    return keys;
  }

  private async open(): Promise<void> {
    this.context = await connectedAs('gateway');
  }

  async close(): Promise<void> {
    await this.context?.close();
  }

  /** Makes a key of one's own. */
  async make({ accessToken }: Account, changes: Record<string, unknown> = {}): Promise<MadeKey> {
    const body = { name: 'Import', scopes: ['leads', 'contacts:read'], ...changes };
    return made(await this.identity.post('/api/auth/api-keys', body, accessToken));
  }

  /** Exchanges a key as the gateway does. @returns the access token */
  async exchange(key: string): Promise<string> {
    const ids = readApiKey(key);
    if (!ids) throw new Error(`Not a key: ${key}`);
    const request = { ...ids, fingerprint: apiKeyFingerprint(key), address: PRESENTED_AT };
    return (await this.context.get(Rpc).call(rpc.identity.exchangeApiKey, request)).token;
  }

  /** The code with which an exchange is refused. */
  refusal(key: string): Promise<string | undefined> {
    return codeOf(this.exchange(key));
  }

  async claims(key: string): Promise<Record<string, unknown>> {
    return decodeJwt(await this.exchange(key));
  }

  /** Waits until a token is refused; it may take a second. */
  async isCutOff(token: string): Promise<void> {
    await waitUntil(async () => (await this.current(token)).status === 401, {
      timeoutMs: 1000,
      describe: 'the token of the key to be refused',
    });
  }

  current(token: string): Promise<Answer> {
    return this.identity.request('GET', '/api/auth/api-keys/current', { token });
  }

  /** Checks that a key and the token that it was exchanged for before are worth nothing any more. */
  async expectEnded(key: string, token: string): Promise<void> {
    expect(await this.refusal(key)).toBe('INVALID_API_KEY');
    await this.isCutOff(token);
  }
}

export function made({ status, body }: Answer): MadeKey {
  if (status !== 201) throw new Error(`Making a key: ${JSON.stringify(body)}`);
  return body as unknown as MadeKey;
}
