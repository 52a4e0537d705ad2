import * as automations from './automations.js';
import * as customObjects from './custom-objects.js';
import type { RpcContract } from './define.js';
import * as identity from './identity.js';
import * as marketplace from './marketplace.js';
import * as webhooks from './webhooks.js';

export { defineRpc, type RpcContract, type RpcRequest, type RpcResponse } from './define.js';
export { automations, customObjects, identity, marketplace, webhooks };

const isContract = (value: unknown): value is RpcContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'callers' in value;

/** Every call between services; the NATS permissions are made from this list. */
export const RPC_CONTRACTS: readonly RpcContract[] = [
  automations,
  customObjects,
  identity,
  marketplace,
  webhooks,
].flatMap((module) => Object.values(module).filter(isContract));
