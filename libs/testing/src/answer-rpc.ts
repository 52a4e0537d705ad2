import { bearerToken, type TokenVerifier } from '@crm/access';
import { PlatformError, type RpcContract, type RpcRequest, type RpcResponse } from '@crm/contracts';
import { ContractPipe, NatsConnection, type RpcContext, RpcServer } from '@crm/messaging';
import { testNats } from './test-nats.js';
import { testVerifier } from './test-tokens.js';

/** Answers a call as a neighbour's NATS user; requests must follow the contract, and tokens be those of testTokens. */
export async function answerRpc<C extends RpcContract, R extends RpcResponse<C>>(
  contract: C,
  handler: (request: RpcRequest<C>, context: RpcContext) => R | Promise<R>,
): Promise<{ close(): Promise<void> }> {
  const { url, passwords } = testNats();
  const service = contract.server;
  const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  const server = new RpcServer(nats);
  const verifier = testVerifier();
  const pipe = new ContractPipe(contract.request);
  server.add(contract, async (request, context) => {
    if (contract.principal === 'user') await authenticate(context, verifier);
    return handler(pipe.check(request) as RpcRequest<C>, context);
  });
  server.start();
  // The subscription has reached the server when it answers the ping behind it.
  await nats.flush();
  return {
    async close() {
      await server.drain();
      await nats.close();
    },
  };
}

async function authenticate(call: RpcContext, verifier: TokenVerifier): Promise<void> {
  const token = bearerToken(call.headers.authorization);
  if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
  call.principal = await verifier.verify(token, call.audiences);
}
