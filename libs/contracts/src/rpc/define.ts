import type { Static, TSchema } from 'typebox';
import { SERVICES, type ServiceName } from '../services.js';

/**
 * One request/reply call between services. The NATS permissions of every service are derived from these: only `callers`
 * may publish on the subject and only `server` may subscribe to it.
 */
export interface RpcContract<Request extends TSchema = TSchema, Response extends TSchema = TSchema> {
  /** `rpc.<server>.<noun>.<verb>` */
  readonly subject: string;
  readonly server: ServiceName;
  readonly callers: readonly ServiceName[];
  /**
   * On whose behalf the call is made. `user`: it carries the caller's access token, or an internal token, which the server
   * verifies again and from which it takes the tenant. `service`: the NATS user is sufficient; the request names a tenant.
   */
  readonly principal: 'user' | 'service';
  /** Also called with tokens of operators, who otherwise call over HTTP alone. */
  readonly operators?: boolean;
  readonly request: Request;
  readonly response: Response;
  /** Milliseconds after which the caller gives up with DEADLINE_EXCEEDED. */
  readonly timeoutMs: number;
  /**
   * Calls that one process makes in the same turn of its event loop travel in one message, and so do replies that are ready
   * together. For short calls on a hot path; only with `principal: 'service'`, because a message carries no tokens of many users.
   */
  readonly batched?: boolean;
}

/** The server is the one that the subject names. */
export function defineRpc<Request extends TSchema, Response extends TSchema>(
  contract: Omit<RpcContract<Request, Response>, 'server'>,
): RpcContract<Request, Response> {
  const server = SERVICES.find((name) => contract.subject.startsWith(`rpc.${name}.`));
  if (!server) throw new Error(`The subject ${contract.subject} names no service`);
  if (contract.batched && contract.principal !== 'service') {
    throw new Error(`${contract.subject} is called with tokens and cannot be batched`);
  }
  return { ...contract, server };
}

export type RpcRequest<C extends RpcContract> = Static<C['request']>;
export type RpcResponse<C extends RpcContract> = Static<C['response']>;
