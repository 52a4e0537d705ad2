import { expect } from '@jest/globals';
import { EmbedHost } from './embed-host.js';
import { type Account, type Answer, newEmail, type TestIdentity } from './identity.js';
import type { MailServer } from './mail-server.js';

/** A user of a workspace whom nobody has proven. */
export interface Local {
  readonly userId: string;
  status: 'active' | 'invited' | 'disabled';
  /** The password that an administrator has set; someone who is invited has none. */
  readonly password?: string;
  /** A token of someone who knows that password. */
  readonly token?: string;
  /** What the mail of an invitation carries. */
  readonly link?: string;
  isDeclined?: boolean;
}

interface Member {
  readonly userId: string;
  status: 'active' | 'disabled';
}

/** What there should be of an address; workspaces by their number. */
interface Address {
  person: { password: string; readonly members: Map<number, Member> } | undefined;
  readonly locals: Map<number, Local>;
  /** True when the person owns a workspace of their own, besides the three. */
  owns: boolean;
}

/** What nobody may see: people as the specification has them. */
export class Model {
  readonly addresses: readonly Address[] = [0, 1].map(() => ({ person: undefined, locals: new Map(), owns: false }));
  passwords = 0;

  at(address: number): Address {
    return this.addresses[address]!;
  }

  /** One that nobody has had. */
  newPassword(): string {
    this.passwords += 1;
    return `tidal-lantern-orbits-quietly-${this.passwords}`;
  }

  /** The user of an address in a workspace. */
  userOf(address: number, workspace: number): Member | Local | undefined {
    const { person, locals } = this.at(address);
    return person?.members.get(workspace) ?? locals.get(workspace);
  }

  activeMember(address: number): number | undefined {
    return [...(this.at(address).person?.members ?? [])].find(([, { status }]) => status === 'active')?.[0];
  }
}

/** Three workspaces, and the two mailboxes of the addresses. */
export class World {
  readonly emails = [newEmail(), newEmail()];
  readonly tenants: string[];
  /** Tokens that must never work again. */
  readonly dead: string[] = [];
  readonly erased: string[] = [];
  private minted = 0;

  private constructor(
    readonly identity: TestIdentity,
    readonly mailServer: MailServer,
    readonly owners: readonly Account[],
    private readonly hosts: readonly EmbedHost[],
  ) {
    this.tenants = owners.map(({ tenantId }) => tenantId);
  }

  static async open(identity: TestIdentity, mailServer: MailServer): Promise<World> {
    const owners = await Promise.all([0, 1, 2].map(() => identity.account()));
    const start = (owner: Account) => EmbedHost.start(identity, { linkUsersBy: 'explicit' }, owner);
    return new World(identity, mailServer, owners, await Promise.all(owners.map(start)));
  }

  email(address: number): string {
    return this.emails[address]!;
  }

  owner(workspace: number): Account {
    return this.owners[workspace]!;
  }

  login(address: number, password: string, workspace?: number, headers?: Record<string, string>) {
    const named = workspace === undefined ? {} : { workspace: this.tenants[workspace] };
    const body = { email: this.email(address), password, ...named };
    return this.identity.request('POST', '/api/auth/login', { body, headers });
  }

  /** What an act answers, and the mail that it sends. @param having what the mail has */
  mailed(address: number, having: string, act: () => Promise<Answer>): Promise<{ answer: Answer; text: string }> {
    return this.mailServer.sentBy(this.email(address), act, having);
  }

  /** The session of the person in one of their workspaces. */
  async session(model: Model, address: number, workspace: number): Promise<string> {
    const { status, body } = await this.login(address, model.at(address).person!.password, workspace);
    expect(status).toBe(200);
    return body.accessToken;
  }

  async mint(address: number, workspace: number): Promise<string | undefined> {
    const host = this.hosts[workspace]!;
    this.minted += 1;
    const user = { sub: `host-user-${this.minted}`, email: this.email(address), name: 'Host user' };
    return host.mint(user).then(
      () => undefined,
      ({ code }: { code?: string }) => code,
    );
  }

  /** Compares what there is with what there should be. */
  async check(model: Model): Promise<void> {
    for (const [address, { person, locals }] of model.addresses.entries()) {
      const email = this.email(address);
      const members = await this.identity.queryAll<{ tenant: string; id: string }>(
        `SELECT m.tenant_id AS tenant, m.user_id AS id FROM sign_in_email s JOIN membership m USING (person_id)
          WHERE s.email = $1 AND s.proven_at IS NOT NULL`,
        [email],
      );
      expect(this.named(members)).toEqual(users(person?.members));
      const found = await this.identity.queryAll<{ tenant: string; id: string }>(
        'SELECT tenant_id AS tenant, user_id AS id FROM local_account WHERE email = $1',
        [email],
      );
      const own = found.filter(({ id }) => [...locals.values()].some(({ userId }) => userId === id));
      expect(this.named(own)).toEqual(users(locals));
      await this.checkPerson(model, address);
      for (const [workspace, { status, password, userId, token }] of locals) {
        if (status !== 'active' || password === undefined) continue;
        const { body } = await this.login(address, password, workspace);
        expect([workspace, (await this.identity.me(body.accessToken)).body.id]).toEqual([workspace, userId]);
        if (token) expect((await this.identity.me(token)).status).toBe(200);
      }
    }
    for (const token of this.dead.splice(0)) await this.identity.refuses(token);
    for (const id of this.erased) await this.checkErased(id);
  }

  private async checkPerson(model: Model, address: number): Promise<void> {
    const { person } = model.at(address);
    const hashes = new Set<string>();
    for (const [workspace, { userId, status }] of person?.members ?? []) {
      const [row] = await this.identity.query<{ hash: string }>(
        this.tenants[workspace]!,
        'SELECT password_hash AS hash FROM app_user WHERE id = $1',
        [userId],
      );
      hashes.add(row!.hash);
      if (status !== 'active') continue;
      expect((await this.login(address, person!.password, workspace)).status).toBe(200);
    }
    expect(hashes.size).toBeLessThanOrEqual(1);
    if (model.activeMember(address) === undefined) return;
    // Whichever workspace was used last, and whatever has become of it since.
    expect((await this.login(address, person!.password)).status).toBe(200);
  }

  private async checkErased(id: string): Promise<void> {
    for (const table of ['membership', 'local_account', 'sign_in_email', 'email_claim']) {
      expect(await this.identity.queryAll(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id])).toEqual([]);
    }
    for (const tenant of this.tenants) {
      expect(await this.identity.query(tenant, 'SELECT 1 FROM app_user WHERE id = $1', [id])).toEqual([]);
    }
  }

  private named(rows: readonly { tenant: string; id: string }[]): [number, string][] {
    return rows.map(({ tenant, id }) => [this.tenants.indexOf(tenant), id] as [number, string]).sort();
  }
}

const users = (found: ReadonlyMap<number, { readonly userId: string }> | undefined): [number, string][] =>
  [...(found ?? [])].map(([workspace, { userId }]) => [workspace, userId] as [number, string]).sort();
