import {
  type OperatorRole,
  type OperatorSignIn,
  type RpcContract,
  type RpcRequest,
  type RpcResponse,
  rpc,
} from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createOperator } from '../src/operator.js';
import { PASSWORD, type TestIdentity } from './identity.js';

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

/** identity as marketplace-admin calls it, and operators to sign in as. */
export class TestOperators {
  private constructor(
    private readonly identity: TestIdentity,
    private readonly context: INestApplicationContext,
  ) {}

  static async connect(identity: TestIdentity): Promise<TestOperators> {
    const { url, passwords } = testNats();
    const service = 'marketplace-admin' as const;
    const config = { url, user: service, password: passwords[service], service };
    const module = MessagingModule.forService({ config });
    return new TestOperators(identity, await NestFactory.createApplicationContext(module, { logger: false }));
  }

  close(): Promise<void> {
    return this.context.close();
  }

  /** @param token of an operator, for calls made on behalf of one */
  call<C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<RpcResponse<C>> {
    return this.context.get(Rpc).call(contract, request, token === undefined ? undefined : { token });
  }

  /** @returns the code of the error with which the call is refused */
  async refusal<C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<string> {
    return this.call(contract, request, token).then(
      () => 'no error',
      (error: { code?: string }) => error.code ?? 'no code',
    );
  }

  /** Creates an operator. @returns their address */
  async create(role: OperatorRole = 'administrator', workspace?: string): Promise<string> {
    const email = `operator-${newId()}@platform.test`;
    const input = { email, name: 'Operator', password: PASSWORD, role, ...(workspace !== undefined && { workspace }) };
    await createOperator(this.identity.get(Database), input);
    return email;
  }

  login(email: string, password = PASSWORD): Promise<OperatorSignIn> {
    return this.call(rpc.identity.loginOperator, { email, password, ...ORIGIN });
  }

  /** Signs in an operator who needs no second factor. */
  async signedIn(email: string): Promise<OperatorTokens> {
    const { accessToken, refreshToken } = await this.login(email);
    if (accessToken === undefined || refreshToken === undefined) throw new Error('The sign-in needs a second factor');
    return { accessToken, refreshToken };
  }
}
