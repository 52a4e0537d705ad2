import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { KEY_AUDIENCES, RevocationSource } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, AUDIENCES, type Audience } from '@crm/contracts';
import { Database, type NarrowTransaction, newId } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { gauge } from '@crm/telemetry';
import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { IssuerGroup, SigningKey } from './sessions.entity.js';
import { SigningKeyRepository } from './signing-key.repository.js';

export const signsSince = gauge(
  'signing_key_signs_since_seconds',
  'When the key that signs tokens now began to, in seconds since 1970; max over the processes of identity',
  ['group'],
);

/** @param keys published ones, in the order in which they begin to sign */
export function measureSigningKeys(keys: readonly SigningKey[]): void {
  const now = Date.now();
  for (const { group, signsFrom } of keys) {
    if (signsFrom.getTime() <= now) signsSince.set({ group }, signsFrom.getTime() / 1000);
  }
}

/**
 * A key that is to sign later than any is made ahead comes from a clock that was ahead, and signs now; so does the first key where all
 * are yet to sign.
 * @param keys of one group, in the order in which they begin to sign
 */
export function signingKeyOf(keys: readonly SigningKey[], now: number): SigningKey | undefined {
  const latest = now + PUBLISH_AHEAD_MS + CLOCK_MARGIN_MS;
  const signs = ({ signsFrom }: SigningKey) => signsFrom.getTime() <= now || signsFrom.getTime() > latest;
  return keys.findLast(signs) ?? keys[0];
}

const GROUP_AUDIENCES: Readonly<Record<IssuerGroup, readonly Audience[]>> = {
  api: [AUDIENCES.api, AUDIENCES.internal],
  admin: [AUDIENCES.admin],
};

const CACHE_MS = 30_000;

/**
 * Verifiers read the keys every five minutes, replicas every thirty seconds: each knows a key before its first token.
 */
const PUBLISH_AHEAD_MS = 10 * 60_000;

/** A key that has to sign at once does so for replicas whose clocks are behind, too. */
const CLOCK_MARGIN_MS = 60_000;

/** After its successor signs, a key stays published for the life of its last token and this much more. */
const RETIREMENT_MARGIN_MS = 5 * 60_000;

@Injectable()
export class SigningKeyService implements OnModuleInit {
  private loaded: { rows: SigningKey[]; readAtMs: number } | undefined;
  private readonly opened = new Map<string, KeyObject>();
  private readonly box: SecretBox;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
    /** None in a program beside the service, which signs nothing. */
    @Optional() @Inject(RevocationSource) private readonly revocations?: RevocationSource,
  ) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  async onModuleInit(): Promise<void> {
    await this.ensureKeys();
    // Measured from the start, also by a process that nobody asks for a token.
    await this.rows();
  }

  /** Creates the first key of each group; safe when several replicas start at once. */
  async ensureKeys(): Promise<void> {
    await this.database.crossTenant(async (tx) => {
      await this.keys.lock(tx);
      const published = await this.keys.listPublished(tx);
      for (const group of ['api', 'admin'] as const) {
        if (!published.some((key) => key.group === group)) {
          await this.keys.insert(tx, await this.generate(group, new Date()));
        }
      }
    });
    this.loaded = undefined;
  }

  /** The present key is retired when its last token has expired. @returns the new key's id */
  async rotate(group: IssuerGroup): Promise<string> {
    const signsFrom = new Date(Date.now() + PUBLISH_AHEAD_MS);
    const retiresAt = new Date(signsFrom.getTime() + ACCESS_TOKEN_SECONDS * 1000 + RETIREMENT_MARGIN_MS);
    const retire = (tx: NarrowTransaction, kid: string) => this.keys.retireOthers(tx, group, kid, retiresAt);
    return (await this.add(group, signsFrom, retire)).kid;
  }

  /** For private keys that someone else may have. @returns the new key's id and those that are out of force */
  async revoke(group: IssuerGroup): Promise<{ kid: string; revoked: string[] }> {
    const signsFrom = new Date(Date.now() - CLOCK_MARGIN_MS);
    const { kid, others } = await this.add(group, signsFrom, (tx, key) => this.keys.withdrawOthers(tx, group, key));
    return { kid, revoked: others };
  }

  private async add<T>(group: IssuerGroup, from: Date, end: (tx: NarrowTransaction, kid: string) => Promise<T>) {
    const added = await this.database.crossTenant(async (tx) => {
      await this.keys.lock(tx);
      const key = await this.generate(group, from);
      await this.keys.insert(tx, key);
      return { kid: key.kid, others: await end(tx, key.kid) };
    });
    this.loaded = undefined;
    return added;
  }

  async publicKeys(groups: readonly IssuerGroup[] = ['api', 'admin']): Promise<JWK[]> {
    const rows = await this.rows();
    return rows
      .filter((row) => groups.includes(row.group))
      .map((row) => ({
        ...row.publicJwk,
        kid: row.kid,
        alg: 'EdDSA',
        use: 'sig',
        [KEY_AUDIENCES]: [...GROUP_AUDIENCES[row.group]],
      }));
  }

  async signingKey(audience: Audience): Promise<{ kid: string; key: KeyObject }> {
    const keys = (await this.rows()).filter(({ group }) => GROUP_AUDIENCES[group].includes(audience));
    const row = signingKeyOf(keys, Date.now());
    if (!row) throw new Error(`There is no signing key for ${audience}`);
    return { kid: row.kid, key: this.opened.get(row.kid) ?? this.open(row) };
  }

  private open(row: SigningKey): KeyObject {
    const jwk = JSON.parse(this.box.open(row.sealedPrivateJwk, contextOfSigningKey(row.kid))) as JsonWebKey;
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    this.opened.set(row.kid, key);
    return key;
  }

  private async rows(): Promise<SigningKey[]> {
    if (!this.loaded || performance.now() - this.loaded.readAtMs > CACHE_MS || this.isAnyRevoked(this.loaded.rows)) {
      const rows = await this.database.crossTenant((tx) => this.keys.listPublished(tx));
      this.loaded = { rows, readAtMs: performance.now() };
      for (const kid of this.opened.keys()) if (!rows.some((row) => row.kid === kid)) this.opened.delete(kid);
      measureSigningKeys(rows);
    }
    return this.loaded.rows;
  }

  private isAnyRevoked(rows: readonly SigningKey[]): boolean {
    return rows.some(({ kid }) => this.revocations?.isKeyRevoked(kid));
  }

  private async generate(group: IssuerGroup, signsFrom: Date): Promise<Omit<SigningKey, 'retiresAt'>> {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const kid = `${group}-${newId()}`;
    const sealedPrivateJwk = this.box.seal(JSON.stringify(await exportJWK(privateKey)), contextOfSigningKey(kid));
    return { kid, group, publicJwk: await exportJWK(publicKey), sealedPrivateJwk, signsFrom };
  }
}

export const contextOfSigningKey = (kid: string): string => `signing_key/${kid}`;
