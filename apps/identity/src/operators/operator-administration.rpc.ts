import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OperatorAdministrationService } from './operator-administration.service.js';

type Identity = typeof rpc.identity;

/** What administrators do with operators. Their contracts accept tokens of operators only. */
@Controller()
@Access({ right: 'administer' })
export class OperatorAdministrationRpc {
  constructor(private readonly administration: OperatorAdministrationService) {}

  @RpcHandler(rpc.identity.listOperators)
  async list(): Promise<RpcResponse<Identity['listOperators']>> {
    return { data: await this.administration.list() };
  }

  @RpcHandler(rpc.identity.changeOperator)
  async change(
    @Payload() request: RpcRequest<Identity['changeOperator']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['changeOperator']>> {
    const { id, ...changes } = request;
    return this.administration.change(principal, id, changes);
  }

  @RpcHandler(rpc.identity.endSessionsOfOperator)
  async endSessions(
    @Payload() { id }: RpcRequest<Identity['endSessionsOfOperator']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['endSessionsOfOperator']>> {
    await this.administration.endSessions(principal, id);
    return {};
  }

  @RpcHandler(rpc.identity.resetOperatorAuthenticator)
  async resetAuthenticator(
    @Payload() { id }: RpcRequest<Identity['resetOperatorAuthenticator']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['resetOperatorAuthenticator']>> {
    await this.administration.resetAuthenticator(principal, id);
    return {};
  }
}
