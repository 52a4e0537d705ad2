import { codeOf, stepAt } from '../src/second-factor/authenticator.service.js';
import { fromBase32 } from '../src/secrets.js';
import type { Account, Answer, TestIdentity } from './identity.js';

/** The authenticator app of a test: its codes, of which each is accepted once. */
export class TestAuthenticator {
  constructor(
    private readonly identity: TestIdentity,
    private readonly tenantId: string,
    readonly secret: string,
  ) {}

  /** The code of now. */
  code(): string {
    return codeOf(fromBase32(this.secret), stepAt(Date.now()));
  }

  /** A code that is right as if the last one had been used long ago: a test does not wait for the next half minute. */
  async freshCode(): Promise<string> {
    await this.identity.query(this.tenantId, 'UPDATE authenticator SET last_step = NULL');
    return this.code();
  }

  /** Six digits that none of the accepted codes has. */
  wrongCode(): string {
    const step = stepAt(Date.now());
    const right = [-2, -1, 0, 1, 2].map((shift) => codeOf(fromBase32(this.secret), step + shift));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? '';
  }
}

/** A registered owner with an authenticator, and their recovery codes. */
export async function protectedAccount(
  identity: TestIdentity,
): Promise<{ account: Account; app: TestAuthenticator; recoveryCodes: string[] }> {
  const account = await identity.account();
  const { app, recoveryCodes } = await enrol(identity, account);
  return { account, app, recoveryCodes };
}

/** Sets up an authenticator for an account that is signed in. */
export async function enrol(
  identity: TestIdentity,
  account: Account,
): Promise<{ app: TestAuthenticator; recoveryCodes: string[] }> {
  const started = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
  if (started.status !== 201) throw new Error(`Enrolment: ${JSON.stringify(started.body)}`);
  const app = new TestAuthenticator(identity, account.tenantId, started.body.secret);
  const confirmed = await confirm(identity, account, app.code());
  if (confirmed.status !== 200) throw new Error(`Confirmation: ${JSON.stringify(confirmed.body)}`);
  return { app, recoveryCodes: confirmed.body.recoveryCodes };
}

export const confirm = (identity: TestIdentity, account: Account, code: string): Promise<Answer> =>
  identity.post('/api/auth/mfa/authenticator/confirm', { code }, account.accessToken);
