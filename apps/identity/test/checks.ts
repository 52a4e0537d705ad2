import { type Principal, TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import type { TestIdentity } from './identity.js';

export const principalOf = (identity: TestIdentity, token: string): Promise<Principal> =>
  identity.get(TokenVerifier).verify(token, [AUDIENCES.api]);

/** The code with which a call is refused. */
export const codeOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

/** Waits until a token is refused everywhere, which may take a second. */
export const untilRevoked = (identity: TestIdentity, token: string): Promise<void> =>
  waitUntil(async () => (await codeOf(principalOf(identity, token))) === 'TOKEN_REVOKED', {
    timeoutMs: 1000,
    describe: 'the token to be refused',
  });
