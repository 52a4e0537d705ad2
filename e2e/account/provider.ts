import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { jest } from '@jest/globals';
import { addresses } from '../platform/addresses.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const CLIENT = { id: 'crm', secret: 'a-secret-of-the-provider' };

/**
 * An identity provider with a sign-in page of its own: node-oidc-provider, a certified implementation. It answers at the only
 * address that the platform of the tests may call beyond the public internet, by a name of its own, so that its cookies are not
 * those of the platform.
 */
export class TestProvider {
  readonly client = CLIENT;
  readonly issuer = `https://localhost:${addresses.demoReceiver.port}`;
  private handler: Handler = (_request, response) => response.writeHead(503).end();

  private constructor(
    private readonly server: Server,
    private readonly emailOf: (login: string) => string,
  ) {}

  /** @param emailOf the address of the person who signs in with a login */
  static async start(emailOf: (login: string) => string): Promise<TestProvider> {
    const { keyFile, certFile, port } = addresses.demoReceiver;
    const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
    const server = createServer({ key, cert }, (request, response) => provider.handler(request, response));
    const provider = new TestProvider(server, emailOf);
    await provider.register([]);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return provider;
  }

  /** Registers the platform, once it has said where it expects people back. */
  async register(redirectUris: readonly string[]): Promise<void> {
    // It warns of its development defaults, which are right here, and of versions of Node that it is not tested with.
    const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { Provider } = await import('oidc-provider');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(this.issuer, {
      clients: redirectUris.map((uri) => ({
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [uri],
      })),
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'test' }] },
      cookies: { keys: ['signs the cookies of the provider'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_context, login) => ({
        accountId: login,
        claims: async () => ({ sub: login, name: 'Grace Hopper', email: this.emailOf(login), email_verified: true }),
      }),
    });
    this.handler = provider.callback();
    warnings.mockRestore();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
