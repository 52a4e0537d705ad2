import { randomUUID } from 'node:crypto';
import type { Principal } from '@crm/access';
import { fingerprintOf, type RpcRequest, type RpcResponse, type rpc } from '@crm/contracts';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { type EmbedRequest, EmbedTokenService } from '../src/embedding/embed-token.service.js';
import { principalOf } from './checks.js';
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
    private readonly request: Partial<IssueRequest> & { appKey: string },
    readonly credentials: Credentials,
  ) {}

  static async start(identity: TestIdentity, changes: Partial<IssueRequest> = {}, owner?: Account): Promise<EmbedHost> {
    const admin = owner ?? (await identity.account());
    const request = { appKey: `app-${randomUUID()}`, ...changes };
    return new EmbedHost(identity, admin, request, await issue(identity, admin, request));
  }

  get appKey(): string {
    return this.request.appKey;
  }

  get clients(): EmbedClientService {
    return this.identity.get(EmbedClientService);
  }

  /** Starts another app in the same workspace. */
  anotherApp = (): Promise<EmbedHost> => EmbedHost.start(this.identity, {}, this.owner);

  /** Issues the credentials again. */
  issue = (more: Partial<IssueRequest> = {}): Promise<Credentials> =>
    issue(this.identity, this.owner, { ...this.request, ...more });

  principal = (): Promise<Principal> => principalOf(this.identity, this.owner.accessToken);

  mint = (request: Partial<MintRequest> = {}): Promise<{ embedToken: string; expiresIn: number }> =>
    mintAt(this.identity, {
      clientId: this.credentials.clientId,
      clientSecret: this.credentials.clientSecret,
      sub: `sub-${randomUUID()}`,
      email: newEmail(),
      name: 'Host user',
      scopes: ['leads'],
      ...request,
    });

  /** Whom a token is minted for. */
  userOf = async (request: Partial<MintRequest>): Promise<Principal> =>
    principalOf(this.identity, (await this.mint(request)).embedToken);
}

export const mintAt = (identity: TestIdentity, { clientSecret, ...request }: MintRequest) =>
  identity.get(EmbedTokenService).mint({ ...request, fingerprint: fingerprintOf(clientSecret) });

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
