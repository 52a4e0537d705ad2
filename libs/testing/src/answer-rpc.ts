import type { RpcContract, RpcRequest, RpcResponse } from '@crm/contracts';
import { NatsConnection, type RpcContext, type RpcMethod, RpcServer } from '@crm/messaging';
import { testNats } from './test-nats.js';
import { testVerifier } from './test-tokens.js';

/**
 * Stands in for a neighbour service in a service test: answers one of its calls as that service's NATS user. Requests are
 * checked against the contract, and tokens must be those of testTokens.
 * @param handler returns the response or throws a PlatformError
 */
export async function answerRpc<C extends RpcContract, R extends RpcResponse<C>>(
  contract: C,
  handler: (request: RpcRequest<C>, context: RpcContext) => R | Promise<R>,
): Promise<{ close(): Promise<void> }> {
  const { url, passwords } = testNats();
  const service = contract.server;
  const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  const server = new RpcServer(nats, testVerifier);
  const method = async (request: unknown, context: RpcContext) => handler(request as RpcRequest<C>, context);
  server.serve(contract, method as RpcMethod);
  // The subscription has reached the server when it answers the ping behind it.
  await nats.ping();
  return {
    async close() {
      await server.drain();
      await nats.close();
    },
  };
}
