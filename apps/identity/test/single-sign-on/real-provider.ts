import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ReceiverCertificate } from '@crm/testing';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

const CLIENT = { id: 'crm', secret: 'a-secret-of-the-real-provider' };

/** Someone who has an account at the provider. */
export interface Person {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
}

/** node-oidc-provider, a certified implementation, on a port of its own. */
export class RealProvider {
  readonly client = CLIENT;
  /** Who is in front of the browser: signed in without being asked. */
  person: Person | undefined;
  /** How many seconds ago they have signed in there. */
  signedInSecondsAgo = 0;
  /** How often someone was asked who they are. */
  asked = 0;
  /** The key of its tokens, as long as it runs: the platform remembers it. */
  private key: JWK | undefined;
  private handler: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.writeHead(503).end();

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start({ key, cert }: ReceiverCertificate): Promise<RealProvider> {
    const server = createServer({ key, cert }, (request, response) => started.handler(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const started = new RealProvider(server, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await started.register([]);
    return started;
  }

  get port(): number {
    return Number(new URL(this.issuer).port);
  }

  /** Registers the client with these redirect addresses. */
  async register(redirectUris: string[], client: { require_auth_time?: boolean } = {}): Promise<void> {
    // It warns of its development defaults, which are right here, and of versions of Node that it is not tested with.
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { Provider } = await import('oidc-provider');
    this.key ??= await newKey();
    const provider = new Provider(this.issuer, {
      clients: redirectUris.length
        ? [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris, ...client }]
        : [],
      jwks: { keys: [this.key] },
      cookies: { keys: ['signs the cookies of the provider'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ ...this.person, sub: id }) }),
      loadExistingGrant: async (context) => {
        const { provider: self, client, session } = context.oidc;
        const grant = new self.Grant({ clientId: client?.clientId, accountId: session?.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const callback = provider.callback();
    this.handler = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) {
        callback(request, response);
        return;
      }
      this.asked += 1;
      const ts = Math.floor(Date.now() / 1000) - this.signedInSecondsAgo;
      const answer = this.person
        ? { login: { accountId: this.person.sub, ts } }
        : { error: 'access_denied', error_description: 'Nobody wants to sign in' };
      provider.interactionFinished(request, response, answer).catch((error: Error) => response.destroy(error));
    };
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'real' };
}
