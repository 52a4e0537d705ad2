import type { ReceiverCertificate } from '@crm/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type Account, type Answer, newEmail, PASSWORD, TestIdentity } from '../identity.js';
import { MailServer } from '../mail-server.js';
import { prove } from '../persons.js';
import { Browser } from './browser.js';
import { certificate } from './certificate.js';
import { CLIENT_ID, CLIENT_SECRET, ForgingProvider } from './forging-provider.js';
import { TextServer } from './text-server.js';
import { addProvider, type Proven, proven, type Settings } from './workspace.js';

/** Milliseconds that a provider has in these tests. */
export const PROVIDER_MS = 1_500;

export const FAILED = { error: 'SINGLE_SIGN_ON_FAILED' };
export const DOWN = { error: 'SERVICE_UNAVAILABLE' };
export const EXPIRED = { error: 'SINGLE_SIGN_ON_EXPIRED' };
export const refused = (reason: string) => ({ error: 'SINGLE_SIGN_ON_REFUSED', reason });

/** A sign-in whose browser has been sent to the provider, which is about to authenticate someone. */
export interface Begun {
  browser: Browser;
  state: string;
  nonce: string;
  /** The address of the provider. */
  sent: URL;
}

/** A workspace that signs in at a provider that forges, and another such provider, as long as a test file runs. */
export class Stage {
  readonly mailServer = new MailServer();
  readonly dns = new TextServer();
  private readonly changes: Parameters<typeof TestIdentity.prepared>[0] = {};
  readonly identity = TestIdentity.prepared(this.changes);
  tls: ReceiverCertificate;
  provider: ForgingProvider;
  another: ForgingProvider;
  workspace: Proven;
  configured: Settings;
  private people = 0;

  private constructor() {}

  static ofFile(): Stage {
    const stage = new Stage();
    beforeAll(() => stage.set());
    beforeEach(() => stage.reset());
    afterAll(() => stage.close());
    return stage;
  }

  private async set(): Promise<void> {
    this.tls = await certificate();
    [this.provider, this.another] = await Promise.all([
      ForgingProvider.start(this.tls),
      ForgingProvider.start(this.tls),
    ]);
    await Promise.all([this.mailServer.listen(), this.dns.listen()]);
    const allow = [this.provider, this.another].map(({ port }) => ({ host: '127.0.0.1', port }));
    const egress = { allow, ca: this.tls.ca, providerMs: PROVIDER_MS };
    this.changes.settings = { egress, nameServers: [this.dns.address] };
    await this.identity.open(this.mailServer.url);
    this.workspace = await this.proven();
    this.configured = await this.add(this.workspace, this.provider);
  }

  /** Both providers are honest again. */
  private reset(): void {
    this.provider.reset();
    this.another.reset();
  }

  private async close(): Promise<void> {
    await this.identity.close();
    await Promise.all([this.mailServer, this.dns, this.provider, this.another].map((server) => server?.close()));
  }

  /** Another workspace that has proven a domain. */
  proven(): Promise<Proven> {
    return proven(this.identity, this.dns);
  }

  /** Adds a provider to a workspace. */
  add({ owner }: Pick<Proven, 'owner'>, { issuer }: ForgingProvider, more: object = {}): Promise<Settings> {
    const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, enabled: true };
    return addProvider(this.identity, owner, { issuer, ...client, ...more });
  }

  /** A user with a password at the domain of the workspace, who has proven their address: the provider can know them by it. */
  async colleague(): Promise<Account> {
    const email = newEmail().replace(/@.*/, `@${this.workspace.domain}`);
    const user = { email, name: 'Ada', password: PASSWORD, roles: ['member'] };
    const added = await this.identity.send('POST', '/api/tenant/users', this.workspace.owner, user);
    if (added.status !== 201) throw new Error(`Adding a user: ${JSON.stringify(added.body)}`);
    const account = await this.identity.signedIn(email);
    await prove(this.identity, account);
    return account;
  }

  async begun(
    at = this.configured,
    of = this.provider,
    { domain } = this.workspace,
    body?: { fresh: boolean },
  ): Promise<Begun> {
    const browser = new Browser(this.identity);
    const sent = await browser.start(at.signInId, body);
    const { state, nonce } = Object.fromEntries(sent.searchParams) as { state: string; nonce: string };
    this.people += 1;
    of.person = { sub: `sub-${this.people}`, email: `person-${this.people}@${domain}`, nonce };
    return { browser, state, nonce, sent };
  }

  /** Like {@link begun}, with someone at the provider who has this address. */
  async begunBy(email: string): Promise<Begun> {
    const begun = await this.begun();
    this.provider.person = { sub: `sub-of-${email}`, email, nonce: begun.nonce };
    return begun;
  }

  /** Goes on from {@link begun}. @returns the answer to the page's exchange of the code */
  async exchanged({ browser, state }: Begun, at = this.configured): Promise<Answer> {
    const { code = '', ...refusal } = await browser.comeBack(this.callback(state, { at }));
    if (code === '') throw new Error(`The sign-in was refused: ${JSON.stringify(refusal)}`);
    return browser.exchange(code);
  }

  /** The address that a provider sends the browser back to. */
  callback(state: string, { at = this.configured, ...more }: { at?: Settings } & Record<string, unknown> = {}): URL {
    const url = new URL(at.redirectUri);
    for (const [name, value] of Object.entries({ code: 'a-code', state, ...more })) {
      url.searchParams.set(name, String(value));
    }
    return url;
  }

  /** A whole sign-in up to the page. */
  async outcome(...[at, ...more]: Parameters<Stage['begun']>): Promise<Record<string, string>> {
    const { browser, state } = await this.begun(at, ...more);
    return browser.comeBack(this.callback(state, { at }));
  }
}
