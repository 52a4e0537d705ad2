import { Invitation } from './invitation/invitation.entity.js';
import { MfaChallenge } from './mfa/mfa-challenge.entity.js';
import { Session } from './session/session.entity.js';
import { Tenant } from './tenant/tenant.entity.js';
import { User } from './user/user.entity.js';

/** Everything that TypeORM maps; the other tables are reached by SQL of their own. */
export const entities = [Invitation, MfaChallenge, Session, Tenant, User];
