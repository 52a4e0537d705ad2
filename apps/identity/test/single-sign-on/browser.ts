import { request } from 'node:https';
import type { Answer, TestIdentity } from '../identity.js';

/** A browser as far as a sign-in at a provider needs one: it keeps cookies by host and follows redirects. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  constructor(
    private readonly identity: TestIdentity,
    private readonly ca = '',
  ) {}

  /** Begins a sign-in. @returns the address of the provider */
  async start(signInId: string, body?: { fresh: boolean }): Promise<URL> {
    return this.begun(await this.call('POST', `/api/auth/oidc/${signInId}/start`, body));
  }

  /** Begins a step-up. @returns the address of the provider */
  async startStepUp(signInId: string, token: string): Promise<URL> {
    return this.begun(await this.call('POST', `/api/auth/step-up/oidc/${signInId}`, undefined, token));
  }

  private begun(answer: Answer): URL {
    if (answer.status !== 200) throw new Error(`Start: ${JSON.stringify(answer.body)}`);
    return new URL((answer.body as unknown as { redirectTo: string }).redirectTo);
  }

  /** Goes to the provider, until it sends the browser back. @returns the address of the callback */
  async visit(url: URL): Promise<URL> {
    let at = url;
    while (at.protocol === 'https:') {
      const { status, location } = await this.get(at);
      if (location === undefined) throw new Error(`The provider answered ${status} at ${at.pathname}`);
      at = new URL(location, at);
    }
    return at;
  }

  /** Comes back from the provider. @returns what the page learns */
  async comeBack(callback: URL): Promise<Record<string, string>> {
    const answer = await this.call('GET', callback.pathname + callback.search);
    const location = answer.headers.get('location') ?? '';
    if (answer.status !== 303) throw new Error(`Callback: ${answer.status} ${JSON.stringify(answer.body)}`);
    const { pathname, hash } = new URL(location);
    if (pathname !== '/account/signed-in') throw new Error(`The callback leads to ${location}`);
    return Object.fromEntries(new URLSearchParams(hash.slice(1)));
  }

  exchange(code: string): Promise<Answer> {
    return this.call('POST', '/api/auth/oidc/exchange', { code });
  }

  async call(method: string, path: string, body?: unknown, token?: string): Promise<Answer> {
    const answer = await this.identity.request(method, path, { body, token, headers: this.headers('platform') });
    this.keep('platform', answer.headers.getSetCookie());
    return answer;
  }

  private get(url: URL): Promise<{ status: number; location: string | undefined }> {
    return new Promise((resolve, reject) => {
      const call = request(url, { ca: this.ca, headers: this.headers(url.host) }, (response) => {
        response.resume();
        this.keep(url.host, response.headers['set-cookie'] ?? []);
        resolve({ status: response.statusCode ?? 0, location: response.headers.location });
      });
      call.on('error', reject).end();
    });
  }

  private headers(host: string): Record<string, string> {
    const jar = [...(this.cookies.get(host) ?? [])];
    return jar.length === 0 ? {} : { cookie: jar.map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  private keep(host: string, set: readonly string[]): void {
    const jar = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, jar);
    for (const cookie of set) {
      const pair = cookie.split(';', 1)[0] ?? '';
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
  }
}
