import type { ReceiverCertificate } from '@crm/testing';
import { type Answer, TestIdentity } from '../identity.js';
import { Browser } from './browser.js';
import { certificate } from './certificate.js';
import { CLIENT_ID, CLIENT_SECRET, ForgingProvider } from './forging-provider.js';
import { TextServer } from './text-server.js';
import { addProvider, type Proven, proven, type Settings } from './workspace.js';

/** Milliseconds that a provider has in these tests. */
export const PROVIDER_MS = 1_500;

export const FAILED = { error: 'SINGLE_SIGN_ON_FAILED' };
export const EXPIRED = { error: 'SINGLE_SIGN_ON_EXPIRED' };
export const refused = (reason: string) => ({ error: 'SINGLE_SIGN_ON_REFUSED', reason });

/** A sign-in whose browser has been sent to the provider, which is about to authenticate somebody. */
export interface Begun {
  browser: Browser;
  state: string;
  nonce: string;
  /** The address of the provider. */
  sent: URL;
}

/** A workspace that signs in at a provider that forges, and another such provider. */
export class Stage {
  private people = 0;

  private constructor(
    readonly tls: ReceiverCertificate,
    readonly dns: TextServer,
    readonly provider: ForgingProvider,
    readonly another: ForgingProvider,
    readonly identity: TestIdentity,
    readonly workspace: Proven,
    readonly configured: Settings,
  ) {}

  static async set(): Promise<Stage> {
    const tls = await certificate();
    const [dns, provider, another] = await Promise.all([
      TextServer.start(),
      ForgingProvider.start(tls),
      ForgingProvider.start(tls),
    ]);
    const allow = [provider, another].map(({ port }) => ({ host: '127.0.0.1', port }));
    const identity = await TestIdentity.start({
      settings: { egress: { allow, ca: tls.ca, providerMs: PROVIDER_MS }, nameServers: [dns.address] },
    });
    const workspace = await proven(identity, dns);
    const configured = await configure(identity, workspace, provider);
    return new Stage(tls, dns, provider, another, identity, workspace, configured);
  }

  /** Both providers are honest again. */
  reset(): void {
    this.provider.reset();
    this.another.reset();
  }

  async close(): Promise<void> {
    await this.identity.close();
    await Promise.all([this.provider.close(), this.another.close(), this.dns.close()]);
  }

  /** Another workspace that has proven a domain. */
  proven(): Promise<Proven> {
    return proven(this.identity, this.dns);
  }

  /** Adds a provider to a workspace. */
  add(workspace: Proven, provider: ForgingProvider, more: Record<string, unknown> = {}): Promise<Settings> {
    return configure(this.identity, workspace, provider, more);
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
  async outcome(): Promise<Record<string, string>> {
    const { browser, state } = await this.begun();
    return browser.comeBack(this.callback(state));
  }
}

const configure = (
  identity: TestIdentity,
  { owner }: Proven,
  { issuer }: ForgingProvider,
  more: Record<string, unknown> = {},
): Promise<Settings> =>
  addProvider(identity, owner, { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, enabled: true, ...more });
