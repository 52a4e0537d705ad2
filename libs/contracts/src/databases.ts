import type { ServiceName } from './services.js';

/** The database of a service and its three roles. */
export interface ServiceDatabase {
  /** Database name in the development and production profiles; tests use throwaway names. */
  readonly database: string;
  /** Owns the schema; used by migrations only. */
  readonly ownerRole: string;
  /** The role the service runs as: no BYPASSRLS, sees only the rows of the tenant in context. */
  readonly runtimeRole: string;
  /** Accesses the few tables that must cross tenants, each through a separate policy (see GLOBAL_TABLES). */
  readonly narrowRole: string;
  /** Whether its tables are distributed by tenant where the server is the coordinator of a Citus cluster. */
  readonly distributed?: boolean;
}

const define = (name: string, { distributed = false } = {}): ServiceDatabase => ({
  database: name,
  ownerRole: `${name}_owner`,
  runtimeRole: `${name}_runtime`,
  narrowRole: `${name}_narrow`,
  distributed,
});

/** The databases of stateful services. The edges (gateway, embed-gateway, marketplace-admin) have none. */
export const DATABASES = {
  identity: define('identity'),
  'custom-objects': define('custom_objects', { distributed: true }),
  'marketplace-certification': define('marketplace'),
  // Their statements write the rows of many tenants at once.
  'automation-hooks': define('automations'),
  'webhook-dispatcher': define('webhooks', { distributed: true }),
} as const satisfies Partial<Record<ServiceName, ServiceDatabase>>;

export type StatefulService = keyof typeof DATABASES;

/** A global table: no tenant column decides who sees its rows. */
export interface GlobalTable {
  readonly table: string;
  /** The only role with a policy on it, besides the owner. */
  readonly role: 'narrow' | 'runtime';
  readonly why: string;
}

/** In each database that has an outbox. */
const OUTBOX_POSITION: GlobalTable = {
  table: 'outbox_position',
  role: 'narrow',
  why: 'the relay publishes the events of every tenant in one order',
};

/** In each database with sealed columns. */
const ENCRYPTION_KEY: GlobalTable = {
  table: 'encryption_key',
  role: 'narrow',
  why: 'the secrets of every tenant are sealed with one ring of keys',
};

/**
 * The tables without the tenant policy. The catalogue test fails for every other table that lacks it. TypeORM's
 * `migrations` table is readable by the owner only and not listed.
 */
export const GLOBAL_TABLES: Readonly<Record<StatefulService, readonly GlobalTable[]>> = {
  identity: [
    { table: 'sign_in_email', role: 'narrow', why: 'an e-mail address signs in before its tenant is known' },
    { table: 'email_claim', role: 'narrow', why: 'whoever verifies an address first ends the claims of other tenants' },
    { table: 'refresh_token', role: 'narrow', why: 'a refresh token names its session, not its tenant' },
    { table: 'embed_client', role: 'narrow', why: 'a client id is presented before its tenant is known' },
    {
      table: 'verified_domain',
      role: 'narrow',
      why: 'a mail domain belongs to one tenant, and names it before anybody has signed in',
    },
    { table: 'oauth_app', role: 'narrow', why: 'an app asks for authorization before the tenant is known' },
    { table: 'oauth_installation', role: 'narrow', why: 'a client id is presented before its tenant is known' },
    { table: 'oauth_request', role: 'narrow', why: 'an app sends a browser before anybody is signed in' },
    { table: 'signing_key', role: 'narrow', why: 'the platform signs with one set of keys' },
    {
      table: 'operator_audit',
      role: 'runtime',
      why: 'what operators did, also to tenants, in the transaction of the act',
    },
    { table: 'revocation_cutoff', role: 'narrow', why: 'cut-offs are published for every tenant at start' },
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
  'custom-objects': [OUTBOX_POSITION],
  'marketplace-certification': [
    { table: 'app', role: 'narrow', why: 'a listing is read by every tenant' },
    { table: 'app_version', role: 'narrow', why: 'operators review the submissions of every publisher' },
    { table: 'submission_audit', role: 'narrow', why: 'the trail of what operators and publishers did with a version' },
    { table: 'operator_audit', role: 'narrow', why: 'what operators decided, in the transaction of the decision' },
    { table: 'rating', role: 'narrow', why: 'ratings are averaged over all tenants' },
    { table: 'app_webhook_secret', role: 'narrow', why: 'one signing secret for all installations of an app' },
    {
      table: 'client_status',
      role: 'narrow',
      why: 'what was decided about an app or published, until identity has learned it',
    },
    {
      table: 'install_count',
      role: 'runtime',
      why: 'installs are counted over all tenants, in the transaction that makes an installation active',
    },
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
  'automation-hooks': [
    { table: 'hook', role: 'narrow', why: 'an inbound call presents a workflow id and a secret, no tenant' },
    ENCRYPTION_KEY,
  ],
  'webhook-dispatcher': [
    { table: 'app_secret', role: 'narrow', why: 'one signing secret for all installations of an app' },
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
};
