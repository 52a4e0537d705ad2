import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, admin, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { createOperator, operatorToken } from '../platform/operators.js';

/** What an account can do with a passkey in the browser, as the code of a page would. */
interface Outcome {
  readonly status: number;
  readonly body: { accessToken: string; name: string; synced: boolean; code: string };
}

/** Browsers know no passkeys of IP addresses. */
const onLocalhost = (address: string): string => address.replace('//127.0.0.1', '//localhost');

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser({});
});
afterAll(() => browser?.close());

/**
 * A page of an edge, in a browser with an authenticator of its own that has a user who agrees. The page has no content, so that
 * its policy does not keep scripts of the test from calling the API.
 */
class BrowserWithPasskeys {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async open(address: string): Promise<BrowserWithPasskeys> {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<title>A page</title>' }));
    await page.goto(`${onLocalhost(address)}/blank`);
    const session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new BrowserWithPasskeys(context, page, session, authenticatorId);
  }

  /** Sets whether the user enters the right PIN or shows the right finger. */
  async verifies(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { authenticatorId: this.authenticatorId, isUserVerified });
  }

  async credentials(): Promise<number> {
    const { credentials } = await this.session.send('WebAuthn.getCredentials', {
      authenticatorId: this.authenticatorId,
    });
    return credentials.filter(({ isResidentCredential }) => isResidentCredential).length;
  }

  create(token: string): Promise<Outcome> {
    return this.run(
      `
      const { challengeId, publicKey } = (await post('/api/auth/passkeys/options', undefined, token)).body;
      const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
      const credential = await navigator.credentials.create({ publicKey: options });
      return post('/api/auth/passkeys', { challengeId, credential: credential.toJSON() }, token);`,
      token,
    );
  }

  signIn(): Promise<Outcome> {
    return this.use('/api/auth/login/passkey');
  }

  stepUp(token: string): Promise<Outcome> {
    return this.use('/api/auth/step-up/passkey', token);
  }

  private use(path: string, token?: string): Promise<Outcome> {
    return this.run(
      `
      const { challengeId, publicKey } = (await post('${path}/options', undefined, token)).body;
      const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
      const credential = await navigator.credentials.get({ publicKey: options });
      return post('${path}', { challengeId, credential: credential.toJSON() }, token);`,
      token,
    );
  }

  private run(script: string, token?: string): Promise<Outcome> {
    return this.page.evaluate(`(async () => {
      const token = ${JSON.stringify(token ?? null)};
      const post = async (path, body, token) => {
        const headers = { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: 'Bearer ' + token }) };
        const answer = await fetch(path, { method: 'POST', headers, body: body && JSON.stringify(body) });
        const text = await answer.text();
        return { status: answer.status, body: text ? JSON.parse(text) : {} };
      };
      ${script}
    })()`);
  }
}

describe('a passkey in a real browser', () => {
  let account: Account;
  let pages: BrowserWithPasskeys;
  beforeAll(async () => {
    account = await newWorkspace();
    pages = await BrowserWithPasskeys.open(addresses.baseUrl);
  });
  afterAll(() => pages?.context.close());

  it('is set up, kept by the authenticator, and signs in without a name or a password', async () => {
    const created = await pages.create(account.token);
    expect([created.status, created.body]).toMatchObject([201, { name: expect.any(String), synced: false }]);
    expect(await pages.credentials()).toBe(1);
    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await pages.signIn();
      expect([status, typeof body.accessToken]).toEqual([200, 'string']);
    }
  });

  it('proves again who uses the session', async () => {
    expect((await pages.stepUp(account.token)).status).toBe(204);
  });

  it('is not set up twice by the same authenticator', async () => {
    await expect(pages.create(account.token)).rejects.toThrow('InvalidStateError');
  });

  it('does nothing without its user: the browser does not even answer', async () => {
    await pages.verifies(false);
    await expect(pages.signIn()).rejects.toThrow('NotAllowedError');
    await pages.verifies(true);
    expect((await pages.signIn()).status).toBe(200);
  });
});

describe('a passkey of an operator in a real browser', () => {
  it('signs in at the address of the operators', async () => {
    const email = 'passkey@platform.test';
    await createOperator(email, 'reviewer');
    const pages = await BrowserWithPasskeys.open(addresses.adminUrl);
    try {
      expect((await pages.create(await operatorToken(email))).status).toBe(201);
      const { status, body } = await pages.signIn();
      expect(status).toBe(200);
      const { body: me } = await admin('GET', '/api/auth/me', { token: body.accessToken, expect: 200 });
      expect(me.email).toBe(email);
    } finally {
      await pages.context.close();
    }
  });
});
