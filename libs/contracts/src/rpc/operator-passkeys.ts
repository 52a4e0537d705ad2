import Type, { type Static } from 'typebox';
import { Device, defineOperatorCall, Id, Nothing, Origin, Time } from './operator-call.js';
import { TokenPair } from './token-pair.js';

// Passkeys of operators: marketplace-admin passes on what browsers send, identity decides.

/** What the browser is asked, and what comes back with its answer. */
const Options = Type.Object({
  challengeId: Type.String(),
  expiresIn: Type.Integer(),
  publicKey: Type.Object({}, { additionalProperties: true }),
});

const Answer = {
  challengeId: Type.String(),
  /** What `PublicKeyCredential.toJSON()` gives. */
  credential: Type.Record(Type.String(), Type.Unknown()),
};

export const OperatorPasskey = Type.Object({
  id: Id,
  name: Type.String(),
  synced: Type.Boolean(),
  createdAt: Time,
  lastUsedAt: Type.Union([Time, Type.Null()]),
});
export type OperatorPasskey = Static<typeof OperatorPasskey>;

export const getOperatorPasskeySignInOptions = defineOperatorCall(
  'getPasskeySignInOptions',
  'service',
  Nothing,
  Options,
);

export const signInOperatorByPasskey = defineOperatorCall(
  'signInByPasskey',
  'service',
  Type.Object({ ...Answer, ...Origin }),
  Type.Object({ ...TokenPair.properties, ...Device }),
);

export const getOperatorPasskeyStepUpOptions = defineOperatorCall('getPasskeyStepUpOptions', 'user', Nothing, Options);

export const stepUpOperatorByPasskey = defineOperatorCall('stepUpByPasskey', 'user', Type.Object(Answer), Nothing);

export const getOperatorPasskeyOptions = defineOperatorCall('getPasskeyOptions', 'user', Nothing, Options);

export const addOperatorPasskey = defineOperatorCall(
  'addPasskey',
  'user',
  Type.Object({ ...Answer, name: Type.Optional(Type.String()), userAgent: Origin.userAgent }),
  OperatorPasskey,
);

export const listOperatorPasskeys = defineOperatorCall(
  'listPasskeys',
  'user',
  Nothing,
  Type.Object({ data: Type.Array(OperatorPasskey) }),
);

export const renameOperatorPasskey = defineOperatorCall(
  'renamePasskey',
  'user',
  Type.Object({ id: Id, name: Type.String() }),
  OperatorPasskey,
);

export const removeOperatorPasskey = defineOperatorCall('removePasskey', 'user', Type.Object({ id: Id }), Nothing);
