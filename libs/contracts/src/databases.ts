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
  /** True when its tables are distributed by tenant where the server is the coordinator of a Citus cluster. */
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
  'automation-hooks': define('automations', { distributed: true }),
  'webhook-dispatcher': define('webhooks', { distributed: true }),
} as const satisfies Partial<Record<ServiceName, ServiceDatabase>>;

export type StatefulService = keyof typeof DATABASES;

/**
 * Steps of this release's migrations that processes of the release before work with: these start, also again, during a rollout and
 * after going back. A release lists its own steps and takes those of the one before out, so that two versions back is refused.
 */
export const TOLERATED_STEPS: Readonly<Record<StatefulService, readonly string[]>> = {
  identity: [],
  'custom-objects': [],
  'marketplace-certification': [],
  'automation-hooks': [],
  'webhook-dispatcher': [],
};

/** A global table: no tenant column decides who sees its rows. */
export interface GlobalTable {
  readonly table: string;
  /** The only role with a policy on it, besides the owner. */
  readonly role: 'narrow' | 'runtime';
  readonly why: string;
}

const row = (table: string, why: string, role: GlobalTable['role'] = 'narrow'): GlobalTable => ({ table, role, why });

/** In each database that has an outbox. */
const OUTBOX_POSITION = row('outbox_position', 'the relay publishes the events of every tenant in one order');

/** In each database with sealed columns. */
const ENCRYPTION_KEY = row('encryption_key', 'the secrets of every tenant are sealed with one ring of keys');

/**
 * The tables without the tenant policy. The catalogue test fails for every other table that lacks it. TypeORM's
 * `migrations` table is readable by the owner only and not listed.
 */
export const GLOBAL_TABLES: Readonly<Record<StatefulService, readonly GlobalTable[]>> = {
  identity: [
    row('sign_in_email', 'an email address signs in before its tenant is known'),
    row('person', 'a person has memberships in any number of tenants'),
    row('membership', 'a person signs in, and switches, before the tenant is known'),
    row('local_account', 'a password of an unproven address finds its account before the tenant is known'),
    row('email_claim', 'whoever verifies an address first ends the claims of other tenants'),
    row('refresh_token', 'a refresh token names its session, not its tenant'),
    row('embed_client', 'a client id is presented before its tenant is known'),
    row('verified_domain', 'a mail domain belongs to one tenant, and names it before anybody has signed in'),
    row('oauth_app', 'an app asks for authorization before the tenant is known'),
    row('oauth_installation', 'a client id is presented before its tenant is known'),
    row('oauth_request', 'an app sends a browser before anybody is signed in'),
    row('signing_key', 'the platform signs with one set of keys'),
    row('operator_audit', 'what operators did, also to tenants, in the transaction of the act', 'runtime'),
    row('revocation_cutoff', 'cut-offs are published for every tenant at start'),
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
  'custom-objects': [OUTBOX_POSITION],
  'marketplace-certification': [
    row('app', 'a listing is read by every tenant'),
    row('app_version', 'operators review the submissions of every publisher'),
    row('submission_audit', 'the trail of what operators and publishers did with a version'),
    row('operator_audit', 'what operators decided, in the transaction of the decision'),
    row('rating', 'ratings are averaged over all tenants'),
    row('app_webhook_secret', 'one signing secret for all installations of an app'),
    row('client_status', 'what was decided about an app or published, until identity has learned it'),
    row(
      'install_count',
      'installs are counted over all tenants, in the transaction that makes an installation active',
      'runtime',
    ),
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
  'automation-hooks': [row('hook', 'an inbound call presents a workflow id and a secret, no tenant'), ENCRYPTION_KEY],
  'webhook-dispatcher': [
    row('app_secret', 'one signing secret for all installations of an app'),
    OUTBOX_POSITION,
    ENCRYPTION_KEY,
  ],
};
