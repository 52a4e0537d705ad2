import Type, { type TSchema } from 'typebox';
import { defineRpc, type RpcContract } from './define.js';

export const Id = Type.String({ format: 'uuid' });
export const Time = Type.String({ format: 'date-time' });
export const TextOrNull = Type.Union([Type.String(), Type.Null()]);
export const Nothing = Type.Object({});

/** Where a call comes from, as marketplace-admin sees it. */
export const Origin = { address: Type.String(), userAgent: TextOrNull };

/** By what a device is known again; marketplace-admin makes a header of it. */
export const Device = { deviceToken: Type.Optional(Type.String()) };

/**
 * A call that marketplace-admin makes for operators.
 * @param principal `user`: the call carries the operator's token, which identity verifies
 */
export const defineOperatorCall = <Request extends TSchema, Response extends TSchema>(
  name: string,
  principal: RpcContract['principal'],
  request: Request,
  response: Response,
): RpcContract<Request, Response> =>
  defineRpc({
    subject: `rpc.identity.operators.${name}`,
    server: 'identity',
    callers: ['marketplace-admin'],
    principal,
    request,
    response,
    timeoutMs: 5000,
  });
