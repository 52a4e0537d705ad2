import { randomUUID } from 'node:crypto';
import { type Principal, TokenVerifier } from '@crm/access';
import { AUDIENCES, fingerprintOf, type RpcRequest, type RpcResponse, type rpc } from '@crm/contracts';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { type EmbedRequest, EmbedTokenService } from '../src/embedding/embed-token.service.js';
import { type Account, newEmail, type TestIdentity } from './identity.js';
import { withNewSecret } from './new-secret.js';

export type IssueRequest = RpcRequest<typeof rpc.identity.issueEmbedCredentials>;
type Credentials = RpcResponse<typeof rpc.identity.issueEmbedCredentials> & { clientSecret: string };
/** With the secret that a host presents, of which the edge tells identity the fingerprint. */
export type MintRequest = Omit<EmbedRequest, 'fingerprint'> & { clientSecret: string };

/** A workspace with an embed app, and a host that mints with its credentials. */
export class EmbedHost {
  private constructor(
    private readonly identity: TestIdentity,
    readonly owner: Account,
    readonly credentials: Credentials,
  ) {}

  static async start(identity: TestIdentity, changes: Partial<IssueRequest> = {}): Promise<EmbedHost> {
    const owner = await identity.account();
    return new EmbedHost(identity, owner, await issue(identity, owner, changes));
  }

  /** Of another app in the same workspace. */
  async anotherApp(): Promise<EmbedHost> {
    return new EmbedHost(this.identity, this.owner, await issue(this.identity, this.owner));
  }

  mint(request: Partial<MintRequest> = {}): Promise<{ embedToken: string; expiresIn: number }> {
    return mintAt(this.identity, {
      clientId: this.credentials.clientId,
      clientSecret: this.credentials.clientSecret,
      sub: `sub-${randomUUID()}`,
      email: newEmail(),
      name: 'Host user',
      scopes: ['leads'],
      ...request,
    });
  }

  /** Whom a token is minted for. */
  async userOf(request: Partial<MintRequest>): Promise<Principal> {
    return principalOf(this.identity, (await this.mint(request)).embedToken);
  }
}

export const mintAt = (identity: TestIdentity, { clientSecret, ...request }: MintRequest) =>
  identity.get(EmbedTokenService).mint({ ...request, fingerprint: fingerprintOf(clientSecret) });

export const principalOf = (identity: TestIdentity, token: string): Promise<Principal> =>
  identity.get(TokenVerifier).verify(token, [AUDIENCES.api]);

export const issue = async (
  identity: TestIdentity,
  account: Account,
  changes: Partial<IssueRequest> = {},
): Promise<Credentials> => {
  const principal = await principalOf(identity, account.accessToken);
  return withNewSecret((fingerprint) =>
    identity.get(EmbedClientService).issue(principal, {
      appKey: `app-${randomUUID()}`,
      fingerprint,
      allowedOrigins: ['https://host.example'],
      scopes: ['leads', 'pipeline:read'],
      linkUsersBy: 'email',
      ...changes,
    }),
  );
};
