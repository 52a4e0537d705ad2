import { type ErrorCode, type OperatorAuditEntry, type OperatorRole, PlatformError } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import type { Problem } from '@crm/http';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { createOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import type { TenantStandingView } from '../src/suspensions/suspension.dto.js';
import { codeOf } from './checks.js';
import { type Body, PASSWORD, type TestIdentity } from './identity.js';

/** Where the operators of tests come from. */
export const ORIGIN = {
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
};

/** The tokens of a signed-in operator. */
export interface OperatorTokens {
  accessToken: string;
  refreshToken: string;
}

/** The routes of operators, by what tests call them for; the rest of a request is the body, or the query of a GET. */
const CALLS = {
  login: 'POST /api/auth/login',
  verifyCode: 'POST /api/auth/mfa/verify',
  startEnrolment: 'POST /api/auth/mfa/enrolment',
  confirmEnrolment: 'POST /api/auth/mfa/enrolment/confirm',
  refresh: 'POST /api/auth/refresh',
  logout: 'POST /api/auth/logout',
  get: 'GET /api/auth/me',
  listSessions: 'GET /api/auth/sessions',
  endSession: 'DELETE /api/auth/sessions/:id',
  endSessions: 'DELETE /api/auth/sessions',
  stepUp: 'POST /api/auth/step-up',
  changePassword: 'POST /api/auth/password',
  replaceRecoveryCodes: 'POST /api/auth/mfa/recovery-codes',
  passkeySignInOptions: 'POST /api/auth/login/passkey/options',
  signInByPasskey: 'POST /api/auth/login/passkey',
  passkeyStepUpOptions: 'POST /api/auth/step-up/passkey/options',
  stepUpByPasskey: 'POST /api/auth/step-up/passkey',
  passkeyOptions: 'POST /api/auth/passkeys/options',
  addPasskey: 'POST /api/auth/passkeys',
  listPasskeys: 'GET /api/auth/passkeys',
  renamePasskey: 'PATCH /api/auth/passkeys/:id',
  removePasskey: 'DELETE /api/auth/passkeys/:id',
  listOperators: 'GET /api/admin/operators',
  changeOperator: 'PATCH /api/admin/operators/:id',
  endSessionsOf: 'DELETE /api/admin/operators/:id/sessions',
  resetAuthenticator: 'DELETE /api/admin/operators/:id/authenticator',
  setPlan: 'PATCH /api/admin/tenants/:id',
  getUsage: 'GET /api/admin/tenants/:id/usage',
  suspend: 'POST /api/admin/tenants/:id/suspend',
  reinstate: 'POST /api/admin/tenants/:id/reinstate',
  listSuspended: 'GET /api/admin/tenants?state=suspended',
  listEmbedConflicts: 'GET /api/admin/embed-conflicts',
  listAudit: 'GET /audit',
} as const;
export type OperatorsCall = keyof typeof CALLS;

/** Whatever an answer may hold: the expectations say which members it has to have. */
type OperatorsBody = Omit<Body, 'data'> &
  TenantStandingView & {
    data: (Body['data'][number] & OperatorAuditEntry & TenantStandingView & { device: string; address: string })[];
    publicKey: PublicKeyCredentialRequestOptionsJSON & PublicKeyCredentialCreationOptionsJSON;
    deviceToken: string | undefined;
    plan: string;
  };

/** identity as marketplace-admin calls it, and operators to sign in as. */
export class TestOperators {
  constructor(private readonly identity: TestIdentity) {}

  /**
   * @param request `id` is in the path; `address`, `userAgent` and `deviceToken` are headers
   * @param token of an operator, for calls made on behalf of one
   * @throws PlatformError with the code that the call is refused with
   */
  async call(name: OperatorsCall, request: object = {}, token?: string): Promise<OperatorsBody> {
    const [method = '', path = ''] = CALLS[name].split(' ');
    const { id = '', address, userAgent, deviceToken, ...rest } = request as Record<string, string>;
    const isRead = method === 'GET';
    const query =
      isRead && Object.keys(rest).length > 0 ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams(rest)}` : '';
    const answer = await this.identity.service.requestOfOperator<OperatorsBody>(
      method,
      path.replace(':id', encodeURIComponent(id)) + query,
      {
        headers: {
          ...(address !== undefined && { 'x-forwarded-for': address }),
          ...(userAgent !== undefined && { 'user-agent': userAgent }),
          ...(deviceToken !== undefined && { 'x-device-token': deviceToken }),
        },
        ...(!isRead && Object.keys(rest).length > 0 && { body: rest }),
        ...(token !== undefined && { token }),
      },
    );
    if (answer.status >= 400) throw errorOf(answer.body as unknown as Problem);
    const given = answer.headers.get('x-device-token');
    return { ...answer.body, ...(given !== null && { deviceToken: given }) };
  }

  /** @returns the code of the error with which the call is refused */
  refusal(name: OperatorsCall, request: object = {}, token?: string): Promise<string | undefined> {
    return codeOf(this.call(name, request, token));
  }

  /** Creates an operator who has a password of their own. @returns their address */
  async create(role: OperatorRole = 'administrator', workspace?: string): Promise<string> {
    const email = await this.createWithInitialPassword({ role, ...(workspace !== undefined && { workspace }) });
    const chosen = 'UPDATE operator SET initial_password_until = NULL WHERE email = $1';
    await this.identity.query(PLATFORM_TENANT, chosen, [email]);
    return email;
  }

  /** The command does the same: anyone who runs it knows PASSWORD. @returns their address */
  async createWithInitialPassword(changes: object = {}): Promise<string> {
    const input = {
      email: `operator-${newId()}@platform.test`,
      name: 'Operator',
      password: PASSWORD,
      role: 'reviewer',
    };
    await createOperator(this.identity.get(Database), { ...input, ...changes });
    return { ...input, ...changes }.email;
  }

  login(email: string, password = PASSWORD): Promise<OperatorsBody> {
    return this.call('login', { email, password, ...ORIGIN });
  }

  /** Signs in an operator who needs no second factor. */
  async signedIn(email: string): Promise<OperatorTokens> {
    const { accessToken, refreshToken } = await this.login(email);
    if (accessToken === undefined || refreshToken === undefined) throw new Error('The sign-in needs a second factor');
    return { accessToken, refreshToken };
  }

  /** A new operator who has signed in. */
  async newlySignedIn(role?: OperatorRole, workspace?: string): Promise<OperatorTokens & { email: string }> {
    const email = await this.create(role, workspace);
    return { email, ...(await this.signedIn(email)) };
  }
}

function errorOf({ code, detail, type: _t, title: _n, status: _s, instance: _i, requestId: _r, ...members }: Problem) {
  return new PlatformError(code as ErrorCode, detail, { members });
}
