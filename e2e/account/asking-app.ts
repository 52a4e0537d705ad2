import { createHash, randomBytes } from 'node:crypto';
import { REVIEW_PACKET } from '../../scripts/demo/packages.mjs';
import { type Account, admin, api, newWorkspace, operatorToken } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

/** The answers of an authorization, as the app finds them in its own address. */
export interface Returned {
  readonly code: string | null;
  readonly error: string | null;
  readonly state: string | null;
  readonly iss: string | null;
}

export interface AppTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

interface TokenAnswer {
  readonly status: number;
  /** The tokens of a success. */
  readonly tokens: AppTokens;
}

/** An app that asks users for access as its code would, with a page at an address of its own. */
export class AskingApp {
  readonly redirect = 'https://app.acme.example.com/callback';
  private readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('hex');

  private constructor(readonly key: string) {}

  /** Publishes the app, and installs it in a workspace. */
  static async installedBy({ token }: Account): Promise<AskingApp> {
    const app = new AskingApp(`acme-tasks-${randomBytes(4).toString('hex')}`);
    const developer = await newWorkspace();
    const { body } = await api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer.token,
      body: { manifest: app.manifest(), reviewPacket: REVIEW_PACKET },
      expect: 201,
    });
    await admin('POST', `/api/admin/submissions/${body.submissionId}/publish`, {
      token: await operatorToken(),
      body: { reason: 'Reviewed for the test' },
      expect: 200,
    });
    const install = { appKey: app.key, grantedScopes: ['custom_objects', 'tasks', 'leads:read'] };
    await api('POST', '/api/marketplace/installs', { token, body: install, expect: 201 });
    return app;
  }

  /** Where the app sends the browser. */
  get authorizeUrl(): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.key,
      redirect_uri: this.redirect,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: this.state,
    });
    return `${addresses.baseUrl}/api/auth/oauth/authorize?${query}`;
  }

  /** What the app has once a user has given it access, by the calls that the page makes. */
  async allowedBy({ token }: Account): Promise<AppTokens> {
    const asked = await fetch(this.authorizeUrl, { redirect: 'manual' });
    const request = new URL(asked.headers.get('location') ?? '').searchParams.get('request');
    const path = `/api/auth/oauth/requests/${request}/decision`;
    const { body } = await api('POST', path, { token, body: { decision: 'approve' }, expect: 200 });
    return (await this.exchange(this.returned(body.redirectTo).code ?? '')).tokens;
  }

  returned(address: string): Returned {
    const { searchParams } = new URL(address);
    const [code, error, state, iss] = ['code', 'error', 'state', 'iss'].map((name) => searchParams.get(name));
    return { code: code ?? null, error: error ?? null, state: state ?? null, iss: iss ?? null };
  }

  /** Exchanges a code. */
  exchange(code: string): Promise<TokenAnswer> {
    const { redirect: redirect_uri, verifier: code_verifier } = this;
    return this.tokens({ grant_type: 'authorization_code', code, redirect_uri, code_verifier });
  }

  refresh(refresh_token: string): Promise<TokenAnswer> {
    return this.tokens({ grant_type: 'refresh_token', refresh_token });
  }

  private async tokens(form: Record<string, string>): Promise<TokenAnswer> {
    const body = new URLSearchParams({ client_id: this.key, ...form });
    const response = await fetch(`${addresses.baseUrl}/api/auth/oauth/token`, { method: 'POST', body });
    return { status: response.status, tokens: (await response.json()) as AppTokens };
  }

  /** What an administrator of the marketplace reviews. */
  private manifest(): object {
    return {
      key: this.key,
      name: 'Acme Tasks',
      version: '1.0.0',
      kind: 'industry_app',
      permissions: [
        { scope: 'custom_objects', purpose: 'keeps visits' },
        { scope: 'tasks', purpose: 'keeps what a visit leaves to do', optional: true },
        { scope: 'leads:read', purpose: 'shows leads on the map', optional: true },
      ],
      objects: [
        {
          apiName: 'visit',
          label: 'Visit',
          pluralLabel: 'Visits',
          nameField: 'title',
          fields: [{ apiName: 'title', label: 'Title', type: 'text', required: true }],
        },
      ],
      oauth: { redirectUris: [this.redirect] },
    };
  }
}
