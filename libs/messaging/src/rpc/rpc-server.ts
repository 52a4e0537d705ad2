import { logMembers, type RequestContext } from '@crm/access';
import { AUDIENCES, type Audience, PlatformError, type RpcContract, SERVICES, type ServiceName } from '@crm/contracts';
import { newId } from '@crm/database';
import { enterTrace } from '@crm/telemetry';
import type { Msg, Subscription } from '@nats-io/nats-core';
import { Logger } from '@nestjs/common';
import { inboxPrefix } from '../broker-names.js';
import { metrics } from '../metrics.js';
import type { NatsConnection } from '../nats-connection.js';
import { arrayOf, Batch } from './batched-calls.js';
import { describeServedCall, endCall } from './rpc.js';
import { RpcContext } from './rpc-handler.js';
import {
  AUTHORIZATION_HEADER,
  type BatchedCall,
  type BatchedReply,
  errorReply,
  REQUEST_ID_HEADER,
  type Reply,
  replyError,
  TRACEPARENT_HEADER,
} from './wire.js';

/** Answers a request, which is any JSON value: the code that registers the method validates request and token. */
export type RpcMethod = (request: unknown, context: RpcContext) => Promise<unknown>;

/** Calls are made on behalf of a user, an app or their unfinished work; operators call over HTTP, with few exceptions. */
const AUDIENCE: readonly Audience[] = [AUDIENCES.api, AUDIENCES.internal];
const WITH_OPERATORS: readonly Audience[] = [...AUDIENCE, AUDIENCES.admin];

const CALLERS = new Map<string, ServiceName>(SERVICES.map((service) => [inboxPrefix(service), service]));

/** Answers the contracts of this service on the broker. Replicas share the calls through one queue group. */
export class RpcServer {
  private readonly logger = new Logger('Rpc');
  private readonly contracts = new Map<string, ServedContract>();
  private readonly subscriptions: Subscription[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly nats: NatsConnection) {}

  /** @throws Error when the contract belongs to another service or already has a handler */
  add(contract: RpcContract, method: RpcMethod): void {
    const { service } = this.nats;
    if (contract.server !== service) throw new Error(`${contract.subject} is not served by ${service}`);
    if (this.contracts.has(contract.subject)) throw new Error(`${contract.subject} has two handlers`);
    this.contracts.set(contract.subject, new ServedContract(contract, method, this.logger));
  }

  start(): void {
    for (const [subject, contract] of this.contracts) {
      this.subscriptions.push(
        this.nats.connection.subscribe(subject, {
          queue: this.nats.service,
          callback: (error, message) => {
            if (error) this.logger.error(`${subject}: ${error.message}`);
            else this.track(contract.answer(message));
          },
        }),
      );
    }
  }

  /** Accepts no more calls and waits for the replies to those in progress. */
  async drain(): Promise<void> {
    await Promise.all(this.subscriptions.splice(0).map((subscription) => subscription.drain()));
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private track(call: Promise<void>): void {
    this.running.add(call);
    void call.finally(() => this.running.delete(call));
  }
}

class ServedContract {
  constructor(
    private readonly contract: RpcContract,
    private readonly method: RpcMethod,
    private readonly logger: Logger,
  ) {}

  /** Never rejects: an error is sent as the reply, and logged if it is a defect. */
  async answer(message: Msg): Promise<void> {
    const caller = callerOf(message, this.contract);
    if (!caller) {
      // The reply would go wherever the sender chooses; a real caller always uses its inbox.
      this.logger.warn(`${this.contract.subject}: a call without the inbox of one of its callers was dropped`);
      metrics.rpcSeconds.startTimer({ side: 'server', subject: this.contract.subject })({ code: 'FORBIDDEN' });
      return;
    }
    const calls = this.contract.batched ? callsOf(message) : undefined;
    if (calls) return this.answerBatch(message, caller, calls);
    const headers = {
      requestId: message.headers?.get(REQUEST_ID_HEADER),
      traceparent: message.headers?.get(TRACEPARENT_HEADER),
      authorization: message.headers?.get(AUTHORIZATION_HEADER),
    };
    const reply = await this.replyTo(() => readJson(message), caller, headers);
    const defect = this.respond(message, JSON.stringify(reply));
    if (defect && isTooLarge(defect) && reply.ok) this.respond(message, JSON.stringify(TOO_LARGE));
  }

  /** Each call is answered as if it had come by itself; replies that are ready together go together. */
  private async answerBatch(message: Msg, caller: ServiceName, calls: readonly BatchedCall[]): Promise<void> {
    const replies = new Batch<{ text: string; position: number }>((portion) => {
      const defect = this.respond(message, arrayOf(portion));
      const [alone] = portion;
      if (defect && isTooLarge(defect) && alone && portion.length === 1) {
        this.respond(message, JSON.stringify([[alone.position, TOO_LARGE]]));
      }
    });
    await Promise.all(
      calls.map(async ({ request, ...headers }, position) => {
        const reply = await this.replyTo(() => request, caller, headers);
        const answer: BatchedReply = [position, reply];
        replies.add({ position, text: JSON.stringify(answer) });
      }),
    );
    replies.flush();
  }

  private async replyTo(request: () => unknown, caller: ServiceName, headers: CallHeaders): Promise<Reply> {
    const end = metrics.rpcSeconds.startTimer({ side: 'server', subject: this.contract.subject });
    const { traceparent, span } = enterTrace(headers.traceparent, describeServedCall, this.contract);
    const context: RequestContext = { requestId: headers.requestId || newId(), traceparent };
    const call = new RpcContext(this.contract, caller, context, this.contract.operators ? WITH_OPERATORS : AUDIENCE, {
      authorization: headers.authorization || undefined,
    });
    const reply = await this.outcome(request, call);
    const code = reply.ok ? 'ok' : reply.code;
    end({ code });
    endCall(span, code, reply.ok ? undefined : replyError(reply));
    return reply;
  }

  private async outcome(request: () => unknown, call: RpcContext): Promise<Reply> {
    try {
      return { ok: true, data: await this.method(request(), call) };
    } catch (error) {
      if (error instanceof PlatformError) {
        if (error.status >= 500 && error.cause) this.logDefect(call.callContext, error);
        return errorReply(error);
      }
      this.logDefect(call.callContext, error);
      return errorReply(new PlatformError('INTERNAL_ERROR'));
    }
  }

  /** On a closed connection the reply is not sent, and the caller's call times out. @returns why it was not sent */
  private respond(message: Msg, text: string): unknown {
    try {
      message.respond(text);
      return undefined;
    } catch (error) {
      this.logger.error({
        msg: `${this.contract.subject}: the reply was not sent and the caller times out`,
        err: error,
      });
      return error;
    }
  }

  private logDefect(context: RequestContext, error: unknown): void {
    this.logger.error({ msg: `${this.contract.subject} failed`, ...logMembers(context), err: error });
  }
}

interface CallHeaders {
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly authorization?: string | undefined;
}

const TOO_LARGE = errorReply(new PlatformError('PAYLOAD_TOO_LARGE', 'The response is too large'));

const isTooLarge = (error: unknown): boolean => error instanceof Error && /max_payload/.test(error.message);

const OPENING_BRACKET = '['.charCodeAt(0);

/** The calls that share a message; undefined for a request by itself, which is an object. */
function callsOf(message: Msg): readonly BatchedCall[] | undefined {
  if (message.data[0] !== OPENING_BRACKET) return undefined;
  let calls: unknown;
  try {
    calls = message.json();
  } catch {
    // Answered with MALFORMED_REQUEST, as any request that is not JSON.
    return undefined;
  }
  const isCall = (call: unknown): call is BatchedCall => typeof call === 'object' && call !== null;
  return Array.isArray(calls) && calls.every(isCall) ? calls : undefined;
}

/** @throws PlatformError MALFORMED_REQUEST also for an array, which no contract asks for */
function readJson(message: Msg): unknown {
  try {
    const request = message.json();
    if (Array.isArray(request)) throw new TypeError('A request is not an array');
    return request;
  } catch (error) {
    throw new PlatformError('MALFORMED_REQUEST', undefined, { cause: error });
  }
}

/**
 * The server cannot see who published, but only the owner of an inbox receives what is sent there; a reply to any
 * other subject would let the sender make this service publish there.
 */
function callerOf(message: Msg, contract: RpcContract): ServiceName | undefined {
  const prefix = message.reply?.slice(0, message.reply.indexOf('.'));
  const caller = prefix ? CALLERS.get(prefix) : undefined;
  return caller && contract.callers.includes(caller) ? caller : undefined;
}
