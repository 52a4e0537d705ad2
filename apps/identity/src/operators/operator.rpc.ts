import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OperatorService } from './operator.service.js';

type Identity = typeof rpc.identity;

/** What operators do with their own account, passed on by marketplace-admin. */
@Controller()
export class OperatorRpc {
  constructor(private readonly operators: OperatorService) {}

  @RpcHandler(rpc.identity.loginOperator)
  async signIn(request: RpcRequest<Identity['loginOperator']>): Promise<RpcResponse<Identity['loginOperator']>> {
    const { email, password, deviceToken, ...origin } = request;
    return this.operators.signIn(email, password, origin, deviceToken);
  }

  @RpcHandler(rpc.identity.verifyOperatorCode)
  async verifyCode(
    request: RpcRequest<Identity['verifyOperatorCode']>,
  ): Promise<RpcResponse<Identity['verifyOperatorCode']>> {
    const { challengeId, code, ...origin } = request;
    return this.operators.verifyCode(challengeId, code, origin);
  }

  @RpcHandler(rpc.identity.startOperatorEnrolment)
  async startEnrolment(
    request: RpcRequest<Identity['startOperatorEnrolment']>,
  ): Promise<RpcResponse<Identity['startOperatorEnrolment']>> {
    return this.operators.startEnrolment(request.enrolmentToken);
  }

  @RpcHandler(rpc.identity.confirmOperatorEnrolment)
  async confirmEnrolment(
    request: RpcRequest<Identity['confirmOperatorEnrolment']>,
  ): Promise<RpcResponse<Identity['confirmOperatorEnrolment']>> {
    const { enrolmentToken, code, ...origin } = request;
    return this.operators.confirmEnrolment(enrolmentToken, code, origin);
  }

  @RpcHandler(rpc.identity.refreshOperator)
  async refresh(request: RpcRequest<Identity['refreshOperator']>): Promise<RpcResponse<Identity['refreshOperator']>> {
    const { refreshToken, ...origin } = request;
    return this.operators.refresh(refreshToken, origin);
  }

  @RpcHandler(rpc.identity.getOperator)
  @Access({ right: 'read' })
  async get(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['getOperator']>> {
    return this.operators.describe(principal);
  }

  @RpcHandler(rpc.identity.listOperatorSessions)
  @Access({ right: 'read' })
  async listSessions(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['listOperatorSessions']>> {
    return { data: await this.operators.listSessions(principal) };
  }

  @RpcHandler(rpc.identity.endOperatorSessions)
  @Access({ right: 'read' })
  async endSessions(
    @Payload() { sessionId }: RpcRequest<Identity['endOperatorSessions']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['endOperatorSessions']>> {
    if (sessionId === undefined) await this.operators.endAllSessions(principal);
    else await this.operators.endSession(principal, sessionId);
    return {};
  }

  @RpcHandler(rpc.identity.stepUpOperator)
  @Access({ right: 'read' })
  async stepUp(
    @Payload() proof: RpcRequest<Identity['stepUpOperator']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['stepUpOperator']>> {
    await this.operators.stepUp(principal, proof);
    return {};
  }

  @RpcHandler(rpc.identity.replaceOperatorRecoveryCodes)
  @Access({ right: 'read' })
  async replaceRecoveryCodes(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['replaceOperatorRecoveryCodes']>> {
    return { recoveryCodes: await this.operators.replaceRecoveryCodes(principal) };
  }
}
