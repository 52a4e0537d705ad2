import type { AccessRule } from '@crm/access';
import { OPERATORS_PREFIX } from '@crm/contracts';
import type { RouteEntry } from '@crm/http';

const rule = (right: AccessRule['right'], proof: boolean): AccessRule => ({ right, proof });
const READ = rule('read', false);
const ADMINISTER = rule('administer', false);
const PROVEN_ADMINISTER = rule('administer', true);

/** The services that serve operators. */
export type Upstream = 'identity' | 'marketplace-certification';

/**
 * Every route of this address that a service serves, below OPERATORS_PREFIX. What is not here is not found: a service may have
 * more. Who may call, and with which proof, is decided there; it is repeated for `/routes`, where tests compare it with the OpenAPI
 * documents.
 */
const TABLE: readonly (readonly [upstream: Upstream, access: AccessRule | 'public', ...routes: readonly string[]])[] = [
  [
    'identity',
    'public',
    'POST /api/auth/login',
    'POST /api/auth/login/passkey',
    'POST /api/auth/login/passkey/options',
    'POST /api/auth/mfa/enrolment',
    'POST /api/auth/mfa/enrolment/confirm',
    'POST /api/auth/mfa/verify',
    'POST /api/auth/refresh',
  ],
  [
    'identity',
    READ,
    'GET /api/auth/me',
    'POST /api/auth/logout',
    'GET /api/auth/passkeys',
    'PATCH /api/auth/passkeys/:id',
    'GET /api/auth/sessions',
    'DELETE /api/auth/sessions',
    'DELETE /api/auth/sessions/:id',
    'POST /api/auth/step-up',
    'POST /api/auth/step-up/passkey',
    'POST /api/auth/step-up/passkey/options',
  ],
  [
    'identity',
    rule('read', true),
    'POST /api/auth/mfa/recovery-codes',
    'POST /api/auth/password',
    'POST /api/auth/passkeys',
    'POST /api/auth/passkeys/options',
    'DELETE /api/auth/passkeys/:id',
  ],
  [
    'identity',
    ADMINISTER,
    'GET /api/admin/embed-conflicts',
    'GET /api/admin/operators',
    'GET /api/admin/tenants',
    'GET /api/admin/tenants/:id/usage',
  ],
  [
    'identity',
    PROVEN_ADMINISTER,
    'PATCH /api/admin/operators/:id',
    'DELETE /api/admin/operators/:id/authenticator',
    'DELETE /api/admin/operators/:id/sessions',
    'PATCH /api/admin/tenants/:id',
    'POST /api/admin/tenants/:id/reinstate',
    'POST /api/admin/tenants/:id/suspend',
  ],
  [
    'marketplace-certification',
    READ,
    'GET /api/admin/apps/:key/impact',
    'GET /api/admin/submissions',
    'GET /api/admin/submissions/:id',
  ],
  ['marketplace-certification', rule('write', false), 'POST /api/admin/submissions/:id/:decision'],
  ['marketplace-certification', rule('write', true), 'POST /api/admin/submissions/:id/publish'],
  ['marketplace-certification', PROVEN_ADMINISTER, 'POST /api/admin/apps/:key/:decision'],
];

export interface OperatorsRoute extends RouteEntry {
  readonly upstream: Upstream;
}

export const ROUTES: readonly OperatorsRoute[] = TABLE.flatMap(([upstream, access, ...routes]) =>
  routes.map((route) => {
    const [method = '', path = ''] = route.split(' ');
    const handler = `${upstream} ${OPERATORS_PREFIX}${path}`;
    return { upstream, method, path, handler, public: access === 'public', ...(access !== 'public' && { access }) };
  }),
);

/** Returns whether a service answers below a path of the OpenAPI documents, which writes parameters as `{id}`. */
export const isServedBy = (upstream: string, documented: string): boolean =>
  ROUTES.some((route) => route.upstream === upstream && route.path.replace(/:(\w+)/g, '{$1}') === documented);
