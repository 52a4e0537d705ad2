import Type, { type Static } from 'typebox';
import { OperatorAuditPage, OperatorAuditQuery } from '../operator-audit.js';
import { OPERATOR_ROLES } from '../roles.js';
import { Device, defineOperatorCall as define, Id, Nothing, Origin, TextOrNull, Time } from './operator-call.js';
import { TokenPair } from './token-pair.js';

// Sign-in, sessions and management of operators: marketplace-admin passes on what it is sent, identity decides.

/** Tokens, or what the sign-in still needs. */
export const OperatorSignIn = Type.Object({
  accessToken: Type.Optional(Type.String()),
  refreshToken: Type.Optional(Type.String()),
  tokenType: Type.Optional(Type.String()),
  expiresIn: Type.Integer(),
  mfaRequired: Type.Optional(Type.Boolean()),
  challengeId: Type.Optional(Type.String()),
  methods: Type.Optional(Type.Array(Type.String())),
  mfaEnrolmentRequired: Type.Optional(Type.Boolean()),
  enrolmentToken: Type.Optional(Type.String()),
  ...Device,
});
export type OperatorSignIn = Static<typeof OperatorSignIn>;

const OperatorSession = Type.Object({
  id: Id,
  current: Type.Boolean(),
  address: TextOrNull,
  lastAddress: TextOrNull,
  userAgent: TextOrNull,
  device: TextOrNull,
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
  endsAt: Time,
});
export type OperatorSession = Static<typeof OperatorSession>;

export const OperatorView = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(OPERATOR_ROLES),
  status: Type.Enum(['active', 'disabled']),
  /** The workspace whose submissions the operator never decides on. */
  linkedTenantId: Type.Union([Id, Type.Null()]),
  /** Whether an authenticator is in use. */
  authenticator: Type.Boolean(),
  createdAt: Time,
});
export type OperatorView = Static<typeof OperatorView>;

const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) });

export const loginOperator = define(
  'login',
  'service',
  Type.Object({ email: Type.String(), password: Type.String(), ...Device, ...Origin }),
  OperatorSignIn,
);

export const verifyOperatorCode = define(
  'verifyCode',
  'service',
  Type.Object({ challengeId: Type.String(), code: Type.String(), ...Origin }),
  Type.Object({ ...TokenPair.properties, ...Device }),
);

/** The enrolment that a sign-in demands; its token can do nothing else. */
export const startOperatorEnrolment = define(
  'startEnrolment',
  'service',
  Type.Object({ enrolmentToken: Type.String() }),
  Type.Object({ secret: Type.String(), otpauthUri: Type.String() }),
);

export const confirmOperatorEnrolment = define(
  'confirmEnrolment',
  'service',
  Type.Object({ enrolmentToken: Type.String(), code: Type.String(), ...Origin }),
  Type.Object({ ...TokenPair.properties, ...RecoveryCodes.properties, ...Device }),
);

export const refreshOperator = define(
  'refresh',
  'service',
  Type.Object({ refreshToken: Type.String(), ...Origin }),
  TokenPair,
);

export const getOperator = define('get', 'user', Nothing, OperatorView);

export const listOperatorSessions = define(
  'listSessions',
  'user',
  Nothing,
  Type.Object({ data: Type.Array(OperatorSession) }),
);

/** Ends one session of the operator who calls, or all of them. */
export const endOperatorSessions = define(
  'endSessions',
  'user',
  Type.Object({ sessionId: Type.Optional(Id) }),
  Nothing,
);

export const stepUpOperator = define(
  'stepUp',
  'user',
  Type.Object({ password: Type.Optional(Type.String()), code: Type.Optional(Type.String()) }),
  Nothing,
);

export const replaceOperatorRecoveryCodes = define('replaceRecoveryCodes', 'user', Nothing, RecoveryCodes);

export const listOperators = define('list', 'user', Nothing, Type.Object({ data: Type.Array(OperatorView) }));

export const changeOperator = define(
  'change',
  'user',
  Type.Object({
    id: Id,
    name: Type.Optional(Type.String()),
    role: Type.Optional(Type.Enum(OPERATOR_ROLES)),
    status: Type.Optional(Type.Enum(['active', 'disabled'])),
    linkedTenantId: Type.Optional(Type.Union([Id, Type.Null()])),
  }),
  OperatorView,
);

/** Ends every session of another operator. */
export const endSessionsOfOperator = define('endSessionsOf', 'user', Type.Object({ id: Id }), Nothing);

/** Removes the authenticator of another operator, who sets up a new one at the next sign-in, and ends their sessions. */
export const resetOperatorAuthenticator = define('resetAuthenticator', 'user', Type.Object({ id: Id }), Nothing);

/** What operators did with their own accounts, with those of others and with tenants. */
export const listOperatorAudit = define('listAudit', 'user', OperatorAuditQuery, OperatorAuditPage);
